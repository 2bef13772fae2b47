#pragma once
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/base/json.h"
#include "core/compare/imported_metric.h"
#include "core/store/workspace.h"
#include "core/systems/test_sets.h"

namespace strata {

// Scores of a translation that another program made, kept next to its text.
struct StoredScores {
  ImportedMetricInfo metric;
  std::string format;    // of readScoreFile
  std::string fileName;  // name of the original file, without folders
  double created = 0;    // seconds since the Unix epoch
  std::int64_t sentences = 0, missing = 0;
  std::filesystem::path file;

  // One per sentence, NaN if there is none. A file that has changed is an Error.
  std::vector<double> values() const;
};

// One translation of a test set in the workspace: the output of a run's checkpoint (RUN/outputs),
// or an imported file of another toolkit (WORKSPACE/systems/NAME).
struct StoredSystem {
  std::string id;       // "run-12/test.step-00003604.beam5.mean", or the name of an imported one
  std::string name;     // its name in tables, without the dataset for a run; unique within its set
  std::string testSet;  // TestSet::id
  std::int64_t sentences = 0;
  double created = 0;  // seconds since the Unix epoch

  // For outputs of a run.
  std::int64_t run = 0;  // 0: imported
  std::string runName, preset, checkpoint, decode;
  std::int64_t seed = 0;
  std::string group;  // equal for runs that differ only in the seed; empty if imported

  // For imported systems.
  std::string format;    // a format of readSystemOutput
  std::string fileName;  // name of the original file, without folders

  std::filesystem::path folder,
      stem;  // STEM.txt is raw, STEM.tokens is tokens; either may be absent
  bool hasScores = false, hasNBest = false;       // of its own decoder (imported)
  std::map<std::string, std::string> digests;     // of its files, by suffix after the stem
  std::vector<StoredScores> importedScores = {};  // by name

  bool has(TextState state) const;
  // A file that does not match its digest is an Error.
  std::vector<std::string> lines(TextState state) const;
  std::vector<double> scores() const;  // one per sentence, or none
  std::vector<std::vector<std::string>> nbest(
      TextState state) const;  // one list per sentence, or none
};

// All complete ones, by test set, then runs by id, then the imported ones by name; only of one test
// set if `testSet` is not empty. Damaged ones are left out and reported in `problems`.
struct StoredSystems {
  std::vector<StoredSystem> systems;
  std::vector<std::string> problems;
};
StoredSystems listSystems(Workspace& workspace, const std::string& testSet = {});
// By id, by name, or by the id or name of a run that has exactly one output on the set. Anything
// else is a usage error that lists the existing ones.
StoredSystem findSystem(const StoredSystems& systems, const std::string& wanted);

struct NewSystem {
  std::string name;     // follows the rules for dataset names; must be new in the workspace
  std::string testSet;  // TestSet::id
  std::filesystem::path file;
  std::optional<std::string> format = {};  // as readSystemOutput's
  TextState state = TextState::kRaw;       // state of the file's text
  SentenceOptions reading = {};            // as readSystemOutput's, but for the language
};
struct ImportedSystem {
  StoredSystem system;
  std::vector<std::string> warnings;
};
// Reads the file, gives its sentences the order of the set if documents and segments name those of
// both, checks it against the set (the same number of sentences, or an Error that names
// both files and the first line without counterpart), derives the other state if the set's dataset
// has a pipeline, and stores text, its scores and n-best lists, the manifest last.
ImportedSystem importSystem(Workspace& workspace, const NewSystem& system);
// Moves an imported system to the workspace's trash; an output of a run is a usage error. Returns
// its id there.
std::string trashSystem(Workspace& workspace, const StoredSystem& system);

// What can be restored, the newest last.
struct TrashedSystem {
  std::string id;    // its folder in the trash
  std::string name;  // that it had, and will have
  std::string testSet;
};
std::vector<TrashedSystem> trashedSystems(const Workspace& workspace);
// Moves a system back: by id, or the newest of a name. Its name must be free. Returns the name.
std::string restoreSystem(Workspace& workspace, const std::string& wanted);

}  // namespace strata
