#pragma once
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/json.h"
#include "core/data/sentences.h"
#include "core/store/workspace.h"
#include "core/text/pipeline.h"

namespace strata {

// The state of a text: natural sentences, or words with one space between them, as produced by a
// dataset's pipeline before BPE.
enum class TextState { kRaw, kTokens };
constexpr TextState otherThan(TextState state) {
  return state == TextState::kRaw ? TextState::kTokens : TextState::kRaw;
}
std::string_view nameOf(TextState state);         // "raw", "tokens"
TextState textStateNamed(std::string_view name);  // other names are usage errors

// A test set that systems translate: an evaluation set of a dataset, or separately imported
// references (WORKSPACE/testsets/NAME). Contains only paths; files are read on request.
struct TestSet {
  std::string
      id;  // "multi30k-deen/test", "multi30k-deen@1/test" of an older version, "newstest2014"
  bool imported = false;                 // without a dataset
  bool test = false;                     // no decision may depend on it
  std::string source = {}, target = {};  // languages; may be empty if imported
  std::int64_t sentences = 0, references = 1;
  std::string datasetDigest = {};         // empty if imported
  std::filesystem::path folder = {};      // of the set's texts
  std::filesystem::path textFolder = {};  // of the dataset's pipeline; empty if imported
  std::filesystem::path trainTokens =
      {};  // training text of the target side as tokens; empty if there is none
  std::filesystem::path trainCorpus = {};           // the same as ids; empty if imported
  std::map<std::string, std::string> digests = {};  // of the files in `folder`, by name
  // segmentKeysJson() of its sentences; null: its files named no documents and segments.
  Json segments = {};

  bool has(TextState state) const;  // imported sets have only the state that they were imported in
  // Texts that do not match their digests are Errors.
  std::vector<std::string> sourceLines(TextState state) const;  // empty if there is no source
  std::vector<std::vector<std::string>> referenceLines(TextState state) const;
};

// The text pipeline of a set of a dataset (its textFolder is not empty). Damage is an Error.
TextPipeline pipelineOf(const TestSet& set);

// Sets of the newest version of every dataset and of older ones, then the imported ones. Sets that
// cannot be opened are left out and reported in `problems`.
std::vector<TestSet> listTestSets(const Workspace& workspace,
                                  std::vector<std::string>* problems = nullptr);
// An unknown id is a usage error that lists the existing ones.
TestSet findTestSet(const Workspace& workspace, const std::string& id);

struct NewTestSet {
  std::string name;  // follows the rules for dataset names; must be new
  std::vector<std::filesystem::path> references;  // at least one, equally many sentences
  std::filesystem::path source = {};              // may be empty
  TextState state = TextState::kRaw;
  std::string sourceLanguage = {}, targetLanguage = {};
  // How the files are read; the languages are those above.
  SentenceOptions reading = {};
};
// Copies the texts into the workspace, the manifest last. A file of several references, of which
// none is named, brings all of them.
TestSet importTestSet(const Workspace& workspace, const NewTestSet& set);

}  // namespace strata
