#pragma once
#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <vector>

#include "core/base/clock.h"
#include "core/run/events.h"
#include "core/train/optimizer.h"
#include "core/train/training_state.h"

namespace strata {

// The layer that a parameter belongs to: "encoder.layers.0", "decoder.embed_tokens",
// "encoder.fusion".
std::string layerOf(const std::string& parameterName);

// Scalars of one step, collected and emitted together.
class ScalarList {
 public:
  ScalarList(std::int64_t runId, std::int64_t step, double wallTime = countedSeconds());
  void add(std::string name, double value);
  const std::vector<ScalarEvent>& events() const { return events_; }

 private:
  std::int64_t runId_, step_;
  double wallTime_;
  std::vector<ScalarEvent> events_;
};

// Relative change of each layer by one update: ||change|| / ||weights before||. Copies the
// parameters, so it is created only for updates whose scalars are due.
class UpdateRatio {
 public:
  explicit UpdateRatio(const NamedParameters& parameters);
  // Call after the update: adds "update_ratio/LAYER" and "update_ratio/all".
  void addTo(ScalarList& scalars);

 private:
  const NamedParameters& parameters_;
  std::vector<torch::Tensor> before_;
};

// Adds "grad_norm/LAYER" and "grad_norm/all" of gradients before clipping. Waits for the device.
void addGradientNorms(const NamedParameters& parameters, const GradientNorm& norm,
                      ScalarList& scalars);

// "train/loss" and the other series of these sums; nothing if they are empty.
void addSums(const RunningSums& sums, ScalarList& scalars);
// "lr", or "lr/GROUP" of each group if there are several. `rates`: as of Optimizer::ratesOf.
void addRates(const Optimizer& optimizer, const std::vector<double>& rates, ScalarList& scalars);
// "memory/resident_mib" and, on a GPU, "memory/device_mib".
void addMemory(const torch::Device& device, ScalarList& scalars);

// The gradient norms of the newest steps, so that the steps before a non-finite value can be
// inspected although scalars are written only every few steps. They stay on the device until taken.
class GradientHistory {
 public:
  static constexpr std::size_t kSteps = 100;
  void add(std::int64_t step, const GradientNorm& norm);
  // "grad_norm/LAYER" and "grad_norm/all" of each kept step up to `last`, which are then discarded.
  // Waits for the device.
  std::vector<ScalarEvent> take(const NamedParameters& parameters, std::int64_t runId,
                                std::int64_t last);

 private:
  struct Entry {
    std::int64_t step;
    double wallTime;
    torch::Tensor norms;  // one per parameter
  };
  std::deque<Entry> entries_;
};

}  // namespace strata
