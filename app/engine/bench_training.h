// What the benchmarks of training share.
#pragma once
#include <torch/types.h>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "app/commands/verbs.h"
#include "core/base/json.h"
#include "core/data/batcher.h"
#include "core/data/corpus.h"
#include "core/decode/shortlist.h"
#include "core/distributed/process_group.h"
#include "core/nn/translation_model.h"
#include "core/run/experiment.h"
#include "core/train/gradient_reducer.h"
#include "core/train/optimizer.h"

namespace strata {

struct BenchOptions {
  std::vector<std::string> presets{"baseline/transformer-iwslt", "mlrf/base"};
  std::string dataset, device = "auto";
  std::vector<std::string> overrides;
  int threads = 0, runs = 3, updates = 8, warmUp = 2, sentences = 64, batch = 64, tokens = 26,
      beam = 5, processes = 1;
  std::vector<int> stepSentences, shortlist;
  std::string compute = "float32";
  std::string member;  // of a process that a bench of several has started: RANK/SIZE/PORT
  bool skipTraining = false, skipDecoding = false, skipStore = false, profileStep = false;
};

// The setup on which one preset is measured.
struct Subject {
  ExperimentSpec spec;
  std::shared_ptr<const Corpus> train, decoded;
  std::shared_ptr<TranslationModel> model;
  std::unique_ptr<TextPipeline> text;    // of the dataset, if there is a shortlist
  std::unique_ptr<Shortlist> shortlist;  // null: none
  torch::Device device = torch::kCPU;
};

Subject subjectOf(const GlobalOptions& global, const BenchOptions& options,
                  const std::string& preset, const std::filesystem::path& folder);

// Target tokens per second of complete updates: batch, forward, backward, norm, optimizer; of this
// process alone, or of several, whose gradients are summed.
class TrainingBench {
 public:
  // `group`: whose processes each take every size-th batch; null: this one alone.
  explicit TrainingBench(Subject& subject, ProcessGroup* group = nullptr);

  double rate(int updates);
  // Of all processes together.
  double rateTogether(int updates);
  // Matrix products of an update: operations per target token, the rate at which this computer
  // computes them in isolation, and the share of that rate that `tokensPerSecond` reaches.
  Json products(int updates, double tokensPerSecond);
  Json profile(int updates);
  std::int64_t gradientBytes() {
    return static_cast<std::int64_t>(optimizer_.gradients().values().nbytes());
  }

 private:
  std::int64_t run(int updates, bool together = false);
  std::int64_t update(torch::Tensor& norm, bool together);
  void nextBatch();

  Subject& subject_;
  ProcessGroup* group_;
  Optimizer optimizer_;
  Batcher batcher_;
  Batch batch_;
  bool bf16_;
  std::uint64_t step_ = 0;
};

}  // namespace strata
