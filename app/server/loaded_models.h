#pragma once
#include <torch/types.h>

#include <cstdint>
#include <filesystem>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "core/nn/translation_model.h"
#include "core/run/experiment.h"
#include "core/run/serve_protocol.h"
#include "core/text/pipeline.h"

namespace strata {

// The files of a model, and what its run says about it.
struct FoundModel {
  std::filesystem::path folder;      // holds config.json and model.safetensors
  std::filesystem::path textFolder;  // of its text pipeline; empty: neither it nor its run has one
  std::optional<std::int64_t> step;  // of a run's checkpoint
  DecodingSpec decoding;             // the run's; defaults for a folder
};

struct ServedModel : FoundModel {
  std::shared_ptr<TranslationModel> model;
  std::shared_ptr<TextPipeline> text;  // null without a text pipeline
};

struct LoadedModelOptions {
  std::filesystem::path workspace;
  std::string device = "auto";
  int threads = 0;          // 0: all cores
  std::size_t maximum = 3;  // models kept loaded; the least recently used is evicted first
};

// A server's cache of loaded models. For one thread.
class LoadedModels {
 public:
  explicit LoadedModels(LoadedModelOptions options);

  // Loads the model unless it is cached and unchanged on disk. A checkpoint's files are checked
  // against its manifest before they are read.
  std::shared_ptr<ServedModel> get(const ModelChoice& choice);

  // Finds the model and checks its files in the same way; nothing is loaded.
  FoundModel find(const ModelChoice& choice);

 private:
  struct Kept {
    std::string key;  // folders, size and time of the loaded files
    std::shared_ptr<ServedModel> model;
  };

  FoundModel placeOf(const ModelChoice& choice);
  FoundModel placeInRun(const std::string& run, const std::string& selector);
  std::shared_ptr<ServedModel> load(const FoundModel& place);

  LoadedModelOptions options_;
  std::optional<torch::Device> device_;                  // chosen at the first use
  std::list<Kept> kept_;                                 // most recently used first
  std::map<std::string, std::filesystem::path> chosen_;  // checkpoints found, by request and
                                                         // state of the run
};

}  // namespace strata
