#pragma once
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/base/json.h"
#include "core/data/dataset.h"
#include "core/papers/paper_table.h"
#include "core/run/config.h"
#include "core/run/experiment.h"

namespace strata {

// One translation of an evaluation set, by one model or by several as an ensemble.
struct TranslationTask {
  std::vector<std::filesystem::path> models;  // model directories, with a text pipeline
  PaperDecode decode;                         // with a beam of at least 1
  DecodingSpec decoding;                      // of the run's configuration
  std::filesystem::path input;                // plain text, one sentence per line
  const Dataset* dataset = nullptr;           // its dictionary replaces unknown words
};

struct Translation {
  std::vector<std::string> tokens;  // of each sentence's best hypothesis, BPE joined
  double seconds = 0;               // of the search, without reading the models
};

// The model operations that papers need. The program passes them in, so that this folder does not
// depend on libtorch.
struct PaperEngine {
  ConfigSources sources;  // presets, and the keys of each family
  std::function<bool(const std::string& preset)> isPreset;
  // Parameters of a model section for these vocabularies.
  std::function<std::int64_t(const Json& model, const VocabularySizes&)> parameters;
  std::function<Translation(const TranslationTask&)> translate;
  // Averages checkpoints into a new model directory.
  std::function<void(const std::vector<std::filesystem::path>& checkpoints,
                     const std::filesystem::path& output)>
      average;
};

// Parameters of a preset for these vocabularies; none if the preset does not exist.
std::optional<std::int64_t> parametersOf(const PaperEngine& engine, const std::string& preset,
                                         const std::vector<std::string>& overrides,
                                         const VocabularySizes& vocabulary);

// Parameters of a row's preset and, by key, of columns that change the preset or have their own
// vocabularies.
struct RowParameters {
  std::optional<std::int64_t> row;
  std::map<std::string, std::int64_t> columns = {};
};
struct RowCounting {
  std::vector<std::string> overrides;
  std::function<std::string(const std::string& columnSuffix)> preset;
  std::function<VocabularySizes(const PaperColumn& column)> sizes;
};
RowParameters parametersOf(const PaperEngine& engine, const PaperTable& table,
                           const RowCounting& counting);

VocabularySizes sizesOf(const Dataset& dataset);

}  // namespace strata
