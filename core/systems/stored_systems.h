#pragma once
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/base/json.h"
#include "core/store/workspace.h"
#include "core/systems/test_sets.h"

namespace strata {

// One translation of a test set that the workspace holds: the output of a run's checkpoint
// (RUN/outputs), or a file that another toolkit wrote (WORKSPACE/systems/NAME).
struct StoredSystem {
  std::string id;       // "run-12/test.step-00003604.beam5.mean", or the name of an imported one
  std::string name;     // what tables call it, a run without its dataset; unique within its set
  std::string testSet;  // TestSet::id
  std::int64_t sentences = 0;
  double created = 0;  // seconds since the Unix epoch

  // Of a run.
  std::int64_t run = 0;  // 0: imported
  std::string runName, preset, checkpoint, decode;
  std::int64_t seed = 0;
  std::string group;  // equal for runs that differ in nothing but the seed; empty where imported

  // Imported.
  std::string format;    // as readSystemOutput names it
  std::string fileName;  // of the file that it was read from, without folders

  std::filesystem::path folder,
      stem;  // STEM.txt is raw, STEM.tokens is tokens; either may be absent
  bool hasScores = false, hasNBest = false;    // of its own decoder (imported)
  std::map<std::string, std::string> digests;  // of its files, by what follows the stem and its dot

  bool has(TextState state) const;
  // A file that is not what its digest says is an Error.
  std::vector<std::string> lines(TextState state) const;
  std::vector<double> scores() const;  // one a sentence, or none
  std::vector<std::vector<std::string>> nbest(
      TextState state) const;  // one list a sentence, or none
};

// All that are whole, by test set, then runs by id, then the imported ones by name; of one test set
// where `testSet` is not empty. Damaged ones are left out and told of in `problems`.
struct StoredSystems {
  std::vector<StoredSystem> systems;
  std::vector<std::string> problems;
};
StoredSystems listSystems(Workspace& workspace, const std::string& testSet = {});
// By id, by name, or by the id or name of a run that has exactly one output on the set. Others are
// usage errors that list what there is.
StoredSystem findSystem(const StoredSystems& systems, const std::string& wanted);

struct NewSystem {
  std::string name;     // as names of datasets; new among those of the workspace
  std::string testSet;  // TestSet::id
  std::filesystem::path file;
  std::optional<std::string> format = {};  // as readSystemOutput's
  TextState state = TextState::kRaw;       // what the file holds
};
struct ImportedSystem {
  StoredSystem system;
  std::vector<std::string> warnings;
};
// Reads the file, checks it against the set (as many sentences, or an Error that names both files
// and the first line without counterpart), makes the other state where the set's dataset has a
// pipeline, and stores text, own scores and n-best lists, the manifest last.
ImportedSystem importSystem(Workspace& workspace, const NewSystem& system);
// Moves an imported system to the workspace's trash; an output of a run is a usage error.
void trashSystem(Workspace& workspace, const StoredSystem& system);

}  // namespace strata
