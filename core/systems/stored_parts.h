#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "core/systems/stored_systems.h"

namespace strata {

// What listing and importing systems share. An imported system is the folder NAME of systemsFolder:
//   system.json          manifest
//   output.txt, .tokens  a line a sentence
//   output.scores        a number a sentence, "nan" where there is none
//   output.nbest.txt, output.nbest.tokens   SENTENCE tab SCORE tab TEXT, sentences from 0
inline constexpr const char* kSystemManifest = "system.json";
inline constexpr const char* kSystemFormat = "strata-system";
inline constexpr const char* kOutputStem = "output";
inline constexpr const char* kScores = "scores";
inline const std::string kNBest = "nbest.";

std::filesystem::path systemsFolder(const Workspace& workspace);
inline std::string extensionOf(TextState state) {
  return state == TextState::kRaw ? "txt" : "tokens";
}

// The test sets of a workspace, to look several systems' up.
class KnownSets {
 public:
  explicit KnownSets(std::vector<TestSet> sets);
  const std::vector<TestSet>& all() const { return sets_; }
  const TestSet* named(const std::string& id) const;  // null where there is none
  // Of the version of a dataset with this digest.
  const TestSet* ofDataset(const std::string& dataset, const std::string& digest,
                           const std::string& set) const;

 private:
  std::vector<TestSet> sets_;
};

// An Error that names the system's manifest where the set has another number of sentences.
void checkSentences(const StoredSystem& system, const TestSet& set,
                    const std::filesystem::path& manifest);

// The system in a folder; damage is an Error.
StoredSystem importedSystem(const std::filesystem::path& folder, const KnownSets& sets);

}  // namespace strata
