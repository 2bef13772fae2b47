#pragma once
#include <torch/types.h>

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/nn/parameters.h"
#include "core/run/experiment.h"
#include "core/train/gradient_buffer.h"
#include "core/train/schedule.h"

namespace strata {

// Gradient norms of one update. They are tensors, so that nothing waits for the device unless they
// are read.
struct GradientNorm {
  torch::Tensor total;  // float64 scalar, before clipping
  torch::Tensor each;   // float64 [P], in the order of the parameters
};

// Adam and NAG (models.md 5.1-5.3) over parameter groups. Owns the buffer of gradients, and moments
// in the same layout. A parameter without a gradient counts as having a gradient of zero, so that
// moments and decay do not depend on whether a batch uses it.
class Optimizer {
 public:
  Optimizer(std::shared_ptr<const ParameterBuffer> parameters, const OptimizerSpec& spec);

  // Norms of the current gradients.
  GradientNorm gradientNorm();
  // Scales the gradients, whose norm has just been computed, so that it is at most `limit`
  // (models.md 5.3), at once or in step(); returns the scale as a tensor.
  torch::Tensor clip(const GradientNorm& norm, double limit);
  // One update. `rates` has one entry per group, in the order of groups(). `skip`: a float32 scalar
  // on the device; 1 leaves parameters and moments unchanged without the host having to know.
  void step(const std::vector<double>& rates, const std::optional<torch::Tensor>& skip = {});
  GradientBuffer& gradients() { return gradients_; }
  // Moments and counters as whole buffers.
  std::vector<torch::Tensor> buffers() const;
  // Clears the gradients.
  void clearGradients() { gradients_.clear(); }
  // Sets the moments to zero, and t = 0 for the bias corrections; the parameters stay (models.md
  // 5.2).
  void restart();
  // Adopts a new phase's settings and groups; the moments stay unless restart() is called too.
  void configure(const OptimizerSpec& spec);

  struct Group {
    double lr = 0, weightDecay = 0;
    std::string name;                  // the first of its match strings, or "rest"
    std::vector<std::size_t> members;  // indices of parameters()
  };
  const std::vector<Group>& groups() const {
    return groups_;
  }  // the configured ones, then the rest
  const NamedParameters& parameters() const { return parameters_->named(); }
  // Learning rates of update t of a schedule, one per group.
  std::vector<double> ratesOf(const Schedule& schedule, std::int64_t t, std::int64_t epoch,
                              const ScheduleState& state) const;

  // Moments and counters for a checkpoint: name -> tensor. restore() accepts what save() returned
  // (any device) and throws an Error naming the first tensor that is missing or has another shape.
  std::map<std::string, torch::Tensor> save() const;
  void restore(const std::map<std::string, torch::Tensor>& tensors);

 private:
  // A range of the buffers whose parameters share group and decay: the kernels process one range
  // per call.
  struct Stretch {
    std::size_t group = 0;
    double weightDecay = 0;
    torch::Tensor values, gradients, first, second;
  };
  void buildGroups();
  void buildStretches();
  std::size_t groupOf(const std::string& name) const;
  void adam(const Stretch& stretch, double rate, const std::optional<torch::Tensor>& skip) const;
  void nag(const Stretch& stretch, double rate, const std::optional<torch::Tensor>& skip) const;
  void nagOnCpu(const Stretch& stretch, double rate,
                const std::optional<torch::Tensor>& skip) const;

  std::shared_ptr<const ParameterBuffer> parameters_;
  OptimizerSpec spec_;
  GradientBuffer gradients_;
  torch::Tensor first_, second_;  // Adam's m and v; NAG's v is in first_, and second_ undefined
  torch::Tensor updates_;  // t of the bias corrections: a float32 scalar on the parameters' device
  double scale_ = 1;       // of the gradients, to be applied by NAG's pass over them on the CPU
  std::vector<Group> groups_;
  std::vector<Stretch> stretches_;
};

}  // namespace strata
