#pragma once
#include <torch/types.h>

#include <cstdint>
#include <memory>
#include <string>

#include "core/distributed/process_group.h"
#include "core/train/gradient_reducer.h"
#include "core/train/moving_average.h"
#include "core/train/optimizer.h"

namespace strata {

enum class TrainCommand { kNone, kStop, kPause, kCheckpoint };

// What the trainer of each process does for those that train along; of one that trains alone, every
// function returns at once what it is given.
class TrainingTeam {
 public:
  // `group`: null for a process that trains alone. Both outlive the team.
  TrainingTeam(ProcessGroup* group, const ParameterBuffer& parameters, Optimizer& optimizer);

  bool isAlone() const { return group_ == nullptr; }
  bool isFirst() const { return group_ == nullptr || group_->isFirst(); }
  std::size_t size() const {
    return group_ != nullptr ? static_cast<std::size_t>(group_->size()) : 1;
  }
  // Whether this process computes batch `index` of an update; and whether it is its last one of
  // `count`.
  bool isOwn(std::size_t index) const { return index % size() == rank_; }
  bool isLastOwn(std::size_t index, std::size_t count) const { return index + size() >= count; }

  // Around the last back-propagation of an update: sums the gradients of all.
  void beginSum() {
    if (reducer_) reducer_->begin();
  }
  void finishSum() {
    if (reducer_) reducer_->finish();
  }

  // What is agreed on at each step, with one sum.
  struct Step {
    torch::Tensor sums_3;  // nll, loss, errors: in, of this process; out, of all
    torch::Tensor norm;    // of the gradient, and all below: those of the first process
    double seconds = 0;
    bool saveDue = false;
    TrainCommand command = TrainCommand::kNone;  // an order to stop counts from any process
  };
  Step agree(Step own) const;

  // What the first process has decided, counted or written.
  bool shared(bool decision) const;
  double shared(double number) const;
  std::string shared(const std::string& text) const;
  // The first process's parameters, moments and averages for all.
  void shareParameters(const MovingAverage* average) const;
  // Every hundredth step: fails if the parameters have drifted apart, which would otherwise go
  // unnoticed.
  void compareParameters(std::int64_t step) const;
  // Waits until all are here.
  void meet() const;
  // Tells the others why this process ends.
  void tell(const std::string& reason) const;

 private:
  ProcessGroup* group_;
  std::size_t rank_;
  const ParameterBuffer& parameters_;
  Optimizer& optimizer_;
  std::unique_ptr<GradientReducer> reducer_;  // null: alone
};

}  // namespace strata
