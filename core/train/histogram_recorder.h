#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "core/nn/translation_model.h"
#include "core/run/events.h"
#include "core/train/batch_tensors.h"
#include "core/train/validator.h"

namespace strata {

// Histograms of each layer's weights, gradients and outputs at every `every`-th update. Counting
// happens on the device and nothing waits for it before take(). Neither parameters nor gradients
// nor random numbers are changed.
class HistogramRecorder {
 public:
  // The sentences whose layers' outputs are counted: the first of the set.
  static constexpr std::size_t kSentences = 8;

  // `set`: null if the run validates on none; then the outputs are left out.
  HistogramRecorder(std::shared_ptr<TranslationModel> model, std::int64_t every,
                    const ScoredSet* set);

  // magnitudeBounds(), for countValues.
  static torch::Tensor boundsOn(const torch::Device& device);

  bool due(std::int64_t step) const { return step % every_ == 0; }
  // The gradients of an update, before clipping.
  void addGradients(std::int64_t step);
  // The weights after it, and the layers' outputs, in teacher forcing without dropout. Leaves the
  // model in evaluation mode.
  void addState(std::int64_t step);
  // What was added since the last call, in one transfer.
  std::vector<HistogramEvent> take(std::int64_t runId);

 private:
  void add(std::int64_t step, HistogramKind kind, const std::string& layer,
           const torch::Tensor& counts);
  void addParameters(std::int64_t step, HistogramKind kind);
  void addOutputs(std::int64_t step);

  std::shared_ptr<TranslationModel> model_;
  std::int64_t every_;
  std::map<std::string, std::vector<std::size_t>> layers_;  // indices of the model's parameters
  torch::Tensor bounds_;                                    // of magnitudes, on the device
  Batch sentences_;                                         // the tensors' memory on a CPU
  BatchTensors batch_;
  std::vector<HistogramEvent> events_;  // without their counts
  std::vector<torch::Tensor> counts_;   // one per layer of the events, on the device
};

// The counts [kHistogramBins] of all values, int64 on their device, without waiting for it.
// `bounds`: boundsOn it. `skip`: true where a value does not count, undefined: nowhere.
torch::Tensor countValues(const torch::Tensor& values, const torch::Tensor& bounds,
                          const torch::Tensor& skip = {});

}  // namespace strata
