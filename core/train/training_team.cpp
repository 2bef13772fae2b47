#include "core/train/training_team.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "core/base/digest.h"
#include "core/base/error.h"

namespace strata {
namespace {

constexpr std::int64_t kStepsBetweenComparisons = 100;

}  // namespace

TrainingTeam::TrainingTeam(ProcessGroup* group, const ParameterBuffer& parameters,
                           Optimizer& optimizer)
    : group_(group),
      rank_(group != nullptr ? static_cast<std::size_t>(group->rank()) : 0),
      parameters_(parameters),
      optimizer_(optimizer) {
  if (group_ != nullptr)
    reducer_ = std::make_unique<GradientReducer>(*group_, parameters, optimizer.gradients());
}

TrainingTeam::Step TrainingTeam::agree(Step own) const {
  if (group_ == nullptr) return own;
  torch::Tensor values_8 = torch::zeros({8}, torch::kFloat64);
  values_8.slice(0, 0, 3).copy_(own.sums_3);
  if (group_->isFirst()) {
    values_8[3].copy_(own.norm);
    values_8[4] = own.seconds;
    values_8[5] = static_cast<double>(own.command);
    values_8[6] = own.saveDue ? 1 : 0;
  }
  values_8[7] = own.command == TrainCommand::kStop ? 1 : 0;  // a signal may reach any process first
  group_->sum(values_8);
  const double* values = values_8.data_ptr<double>();
  return {.sums_3 = values_8.slice(0, 0, 3),
          .norm = values_8[3].to(own.norm.device()),
          .seconds = values[4],
          .saveDue = values[6] > 0,
          .command = values[7] > 0 ? TrainCommand::kStop : static_cast<TrainCommand>(values[5])};
}

bool TrainingTeam::shared(bool decision) const {
  return shared(decision ? 1.0 : 0.0) != 0;
}

double TrainingTeam::shared(double number) const {
  if (group_ == nullptr) return number;
  const auto value = torch::full({1}, number, torch::kFloat64);
  group_->share(value);
  return value.item<double>();
}

std::string TrainingTeam::shared(const std::string& text) const {
  return group_ != nullptr ? group_->share(text) : text;
}

void TrainingTeam::shareParameters(const MovingAverage* average) const {
  if (group_ == nullptr) return;
  group_->share(parameters_.values());
  for (const torch::Tensor& buffer : optimizer_.buffers()) group_->share(buffer);
  if (average != nullptr) group_->share(average->values());
  parameters_.changed();
}

void TrainingTeam::compareParameters(std::int64_t step) const {
  if (group_ == nullptr || step % kStepsBetweenComparisons != 0) return;
  const torch::Tensor values = parameters_.values().cpu();
  const auto digests = group_->gather(digestOf(std::string_view(
      static_cast<const char*>(values.data_ptr()), static_cast<std::size_t>(values.nbytes()))));
  const auto other = std::ranges::find_if(digests, [&](const auto& d) { return d != digests[0]; });
  if (other == digests.end()) return;
  throw Error(
      "After step {} the parameters of rank {} differ from those of rank 0: a computer computes "
      "wrongly, or the programs differ. Continue from the last checkpoint without it",
      step, other - digests.begin());
}

void TrainingTeam::meet() const {
  if (group_ != nullptr) group_->meet();
}

void TrainingTeam::tell(const std::string& reason) const {
  if (group_ != nullptr) group_->tell(reason);
}

}  // namespace strata
