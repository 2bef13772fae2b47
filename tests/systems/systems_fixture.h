// A workspace with a small dataset of two sides, whose texts a person can count.
#pragma once
#include <string>
#include <vector>

#include "core/data/dataset.h"
#include "core/data/prepare.h"
#include "core/store/outputs.h"
#include "core/store/runs.h"
#include "core/systems/stored_systems.h"
#include "core/systems/test_sets.h"
#include "tests/fixture.h"

namespace strata {

using Lines = std::vector<std::string>;

struct SystemsFixture {
  TemporaryFolder folder;
  Workspace workspace;
  Lines raw{"The house.", "A mouse!", "It's old."};  // references of small/test
  Lines tokens{"the house .", "a mouse !", "it &apos;s old ."};

  SystemsFixture() : workspace(folder / "ws", {.networkFileSystem = false}) { prepare(); }

  // Moses tokens in lower case, BPE with so many merges; other numbers make another version.
  // `vocabulary`: so many words a side are kept; 0: all.
  Dataset prepare(int merges = 10, int vocabulary = 0) {
    put(folder / "train.de", "das Haus .\ndie Maus !\ndas alte Haus\ndie alte Maus\n");
    put(folder / "train.en", "the house .\na mouse !\nthe old house\nthe old mouse\n");
    put(folder / "test.de", "Das Haus.\nEine Maus!\nEs ist alt.\n");
    put(folder / "test.en", textOf(raw));
    put(folder / "valid.de", "die Maus\n");
    put(folder / "valid.en", "the mouse\n");
    PrepareOptions options;
    options.name = "small";
    options.sourceLanguage = "de";
    options.targetLanguage = "en";
    options.train = {pair("train")};
    options.sets = {{.name = "valid", .test = false, .parts = {pair("valid")}},
                    {.name = "test", .test = true, .parts = {pair("test")}}};
    options.tokenizer = "moses";
    options.lowercase = true;
    options.bpeMerges = merges;
    options.sourceVocabularySize = options.targetVocabularySize = vocabulary;
    return prepareDataset(workspace.datasetsFolder(), options).dataset;
  }

  PairInput pair(const std::string& prefix) const {
    PairInput files;
    files.source.location = (folder / (prefix + ".de")).string();
    files.targets.push_back({.location = (folder / (prefix + ".en")).string()});
    return files;
  }

  static std::string textOf(const Lines& lines) {
    std::string text;
    for (const std::string& line : lines) text += line + "\n";
    return text;
  }

  RunSummary run(const std::string& name, int seed = 1, double dropout = 0.1) {
    const Json config{{"preset", "mlrf/base"},
                      {"seed", seed},
                      {"data", {{"dataset", "small"}}},
                      {"training", {{"dropout", dropout}}}};
    return createRun(workspace, {.name = name, .config = config});
  }

  // An output whose first translation is the name of its checkpoint.
  void output(const RunSummary& run, const std::string& checkpoint = "step-00000100",
              const std::string& decode = "beam5.mean", const std::string& set = "test") {
    const std::string digest = Dataset::open(workspace.datasetsFolder(), "small").digest();
    StoredOutput output{.key = {.set = set,
                                .checkpoint = checkpoint,
                                .decode = decode,
                                .digests = {{"models", "m"}, {"dataset", digest}}}};
    output.tokens = {checkpoint, "a mouse !", "it &apos;s old ."};
    output.text = {checkpoint, "a mouse!", "it's old."};
    if (set == "valid") output.tokens = output.text = {checkpoint};
    writeOutput(run.folder, output);
  }

  ImportedSystem import(const std::string& name, const std::string& text,
                        const std::string& set = "small/test", TextState state = TextState::kRaw) {
    put(folder / name, text);
    return importSystem(workspace,
                        {.name = name, .testSet = set, .file = folder / name, .state = state});
  }

  std::string outputFile(const RunSummary& run, const std::string& extension) const {
    return (run.folder / "outputs" / ("test.step-00000100.beam5.mean" + extension)).string();
  }
};

// All files below a folder with their contents, to check that nothing has changed.
inline std::map<std::string, std::string> contentOf(const fs::path& folder) {
  std::map<std::string, std::string> files;
  std::error_code ignored;
  for (const auto& entry : fs::recursive_directory_iterator(folder, ignored)) {
    if (entry.is_regular_file()) files[entry.path().string()] = readFile(entry.path());
  }
  return files;
}

inline Lines namesOf(const StoredSystems& systems) {
  Lines names;
  for (const StoredSystem& system : systems.systems) names.push_back(system.name);
  return names;
}

}  // namespace strata
