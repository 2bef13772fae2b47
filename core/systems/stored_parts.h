#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "core/systems/stored_systems.h"

namespace strata {

// Common to listing and importing systems. An imported system is the folder NAME of systemsFolder:
//   system.json          manifest
//   output.txt, .tokens  one line per sentence
//   output.scores        one number per sentence, "nan" if there is none
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

// The test sets of a workspace, for looking up those of several systems.
class KnownSets {
 public:
  explicit KnownSets(std::vector<TestSet> sets);
  const std::vector<TestSet>& all() const { return sets_; }
  const TestSet* named(const std::string& id) const;  // null if there is none
  // By the digest of a dataset version.
  const TestSet* ofDataset(const std::string& dataset, const std::string& digest,
                           const std::string& set) const;

 private:
  std::vector<TestSet> sets_;
};

// Throws an Error that names the system's manifest if the set has another number of sentences.
void checkSentences(const StoredSystem& system, const TestSet& set,
                    const std::filesystem::path& manifest);

// Finds the scores that were imported for a system: STEM.KEY.metric. Those that are damaged or of
// another text are left out and reported.
void addImportedScores(StoredSystem& system, std::vector<std::string>& problems);

// The system in a folder; damage is an Error.
StoredSystem importedSystem(const std::filesystem::path& folder, const KnownSets& sets);

}  // namespace strata
