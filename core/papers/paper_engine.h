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
#include "core/run/network.h"
#include "core/run/recording.h"

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

// Recordings of sentences of an evaluation set, in their order.
struct RecordingTask {
  std::filesystem::path model;  // with a text pipeline
  const Dataset* dataset = nullptr;
  std::string set;
  std::vector<std::int64_t> sentences;                   // from 0
  std::function<bool(const RecordingInfo& info)> keeps;  // which internals
};

// The model operations that papers need. The program passes them in, so that this folder does not
// depend on libtorch.
struct PaperEngine {
  ConfigSources sources;  // presets, and the keys of each family
  std::function<bool(const std::string& preset)> isPreset;
  // What would end a run of this configuration on the dataset at its start; empty: nothing.
  std::function<std::string(const Json& config, const Dataset& dataset)> startProblem;
  // Parameters of a model section for these vocabularies.
  std::function<std::int64_t(const Json& model, const VocabularySizes&)> parameters;
  // Its layers and connections.
  std::function<Network(const Json& model, const VocabularySizes&)> network;
  std::function<Translation(const TranslationTask&)> translate;
  std::function<std::vector<SentenceRecordings>(const RecordingTask&)> record;
  // Averages checkpoints into a new model directory.
  std::function<void(const std::vector<std::filesystem::path>& checkpoints,
                     const std::filesystem::path& output)>
      average;
};

// Parameters of a preset for these vocabularies; none if the preset does not exist.
std::optional<std::int64_t> parametersOf(const PaperEngine& engine, const std::string& preset,
                                         const std::vector<std::string>& overrides,
                                         const VocabularySizes& vocabulary);

// Parameters of a row's preset and, by key, of columns that change the preset or are counted for
// other vocabularies.
struct RowParameters {
  VocabularySizes sizes;  // for which the row's are counted
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
