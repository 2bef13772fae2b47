#pragma once
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/store/workspace.h"
#include "core/text/pipeline.h"

namespace strata {

// What a text holds: sentences as people write them, or words with one space between them, as a
// dataset's pipeline leaves them before BPE.
enum class TextState { kRaw, kTokens };
std::string_view nameOf(TextState state);         // "raw", "tokens"
TextState textStateNamed(std::string_view name);  // other names are usage errors

// A test set that systems translate: an evaluation set of a dataset, or references that were
// imported by themselves (WORKSPACE/testsets/NAME). Paths only; nothing is read before it is asked
// for.
struct TestSet {
  std::string
      id;  // "multi30k-deen/test", "multi30k-deen@1/test" of an older version, "newstest2014"
  bool imported = false;       // by itself: no dataset
  bool test = false;           // never to be selected by
  std::string source, target;  // languages; may be empty where imported
  std::int64_t sentences = 0, references = 1;
  std::string datasetDigest;         // empty where imported
  std::filesystem::path folder;      // of the set's texts
  std::filesystem::path textFolder;  // of the dataset's pipeline; empty where imported
  std::filesystem::path
      trainTokens;  // training text of the target side as tokens; empty where there is none
  std::filesystem::path trainCorpus;           // the same as ids; empty where imported
  std::map<std::string, std::string> digests;  // of the files in `folder`, by name

  bool has(TextState state) const;  // imported sets have the state that they were given in
  // Texts that are not what their digests say are Errors.
  std::vector<std::string> sourceLines(TextState state) const;  // empty where there is no source
  std::vector<std::vector<std::string>> referenceLines(TextState state) const;
};

// The text pipeline of a set of a dataset (its textFolder is not empty). Damage is an Error.
TextPipeline pipelineOf(const TestSet& set);

// Sets of the newest version of every dataset and of older ones, then the imported ones. What
// cannot be opened is left out and told of in `problems`.
std::vector<TestSet> listTestSets(const Workspace& workspace,
                                  std::vector<std::string>* problems = nullptr);
// An unknown id is a usage error that lists what there is.
TestSet findTestSet(const Workspace& workspace, const std::string& id);

struct NewTestSet {
  std::string name;                               // as names of datasets; must be new
  std::vector<std::filesystem::path> references;  // one or more, equally long
  std::filesystem::path source = {};              // may be empty
  TextState state = TextState::kRaw;
  std::string sourceLanguage = {}, targetLanguage = {};
};
// Copies the texts into the workspace, the manifest last.
TestSet importTestSet(const Workspace& workspace, const NewTestSet& set);

}  // namespace strata
