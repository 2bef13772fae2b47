#pragma once
#include <torch/torch.h>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/run/experiment.h"
#include "core/train/schedule.h"

namespace strata {

// Named parameters in the order of the model; each name is models.md's.
using NamedParameters = std::vector<std::pair<std::string, torch::Tensor>>;
NamedParameters namedParametersOf(const torch::nn::Module& module);

// Norms that one update is described by. They are tensors (float64 scalars on the device), so that
// nothing waits for the device unless somebody reads them.
struct GradientNorm {
  torch::Tensor total;                // before clipping
  std::vector<torch::Tensor> tensor;  // one a parameter, in the order of the parameters
};

// Adam and NAG (models.md 5.1-5.3) over parameter groups. Gradients are read from the parameters
// and left there; a parameter without a gradient counts as having a gradient of zero, so that
// moments and decay do not depend on whether a batch touched it.
class Optimizer {
 public:
  Optimizer(NamedParameters parameters, const OptimizerSpec& spec);

  // Norms of the gradients as they stand.
  GradientNorm gradientNorm() const;
  // Scales the gradients so that their norm is at most `limit` (models.md 5.3); returns the scale
  // as a tensor.
  torch::Tensor clip(const GradientNorm& norm, double limit);
  // One update. `rates` has one entry a group, in the order of groups(). `skip`: a float32 scalar
  // on the device; 1 leaves everything as it is without the host having to know (CUDA only).
  void step(const std::vector<double>& rates, const std::optional<torch::Tensor>& skip = {});
  // Whether step() can leave an update out by `skip`.
  bool canSkip() const { return spec_.kind == OptimizerSpec::Kind::kAdam; }
  // Drops the gradients; the next back-propagation's own tensors become the gradients without a
  // copy.
  void clearGradients();
  // Moments zero, and t = 0 for the bias corrections; the parameters stay (models.md 5.2).
  void restart();
  // Takes a new phase's numbers and groups; the moments stay unless restart() is called, too.
  void configure(const OptimizerSpec& spec);

  struct Group {
    double lr = 0, weightDecay = 0;
    std::string name;                  // the first of its match strings, or "rest"
    std::vector<std::size_t> members;  // indices of parameters()
  };
  const std::vector<Group>& groups() const {
    return groups_;
  }  // the configured ones, then the rest
  const NamedParameters& parameters() const { return parameters_; }
  // Rates of update t of a schedule, one a group.
  std::vector<double> ratesOf(const Schedule& schedule, std::int64_t t, std::int64_t epoch,
                              const ScheduleState& state) const;

  // Moments and counters for a checkpoint: name -> tensor. restore() takes what save() gave (any
  // device) and throws an Error naming the first tensor that is missing or has another shape.
  std::map<std::string, torch::Tensor> save() const;
  void restore(const std::map<std::string, torch::Tensor>& tensors);

  const OptimizerSpec& spec() const { return spec_; }

 private:
  // The members of a group that share one decay: the kernels take one decay a call.
  struct Run {
    std::size_t group = 0;
    double weightDecay = 0;
    std::vector<std::size_t> members;
    std::vector<torch::Tensor> values, first, second, steps;  // of the members
  };
  void buildGroups();
  void buildRuns();
  std::vector<torch::Tensor> gradients() const;  // zeros are made where a gradient is missing
  void adam(const Run& run, double rate, const std::vector<torch::Tensor>& gradients,
            const std::optional<torch::Tensor>& skip) const;
  void nag(const Run& run, double rate, const std::vector<torch::Tensor>& gradients) const;

  NamedParameters parameters_;
  OptimizerSpec spec_;
  std::vector<Group> groups_;
  std::vector<torch::Tensor> first_, second_;  // Adam's m and v; NAG's v is in first_
  torch::Tensor updates_;  // t of the bias corrections: a float32 scalar on the parameters' device
  std::vector<Run> runs_;
};

}  // namespace strata
