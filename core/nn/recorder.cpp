#include "core/nn/recorder.h"

#include <algorithm>

#include "core/nn/true_lengths.h"

namespace strata {

bool Recorder::records(const std::string& name) const {
  if (!collects_) return false;
  if (names_.empty()) return true;
  return std::any_of(names_.begin(), names_.end(), [&](const std::string& asked) {
    return asked == name ||
           (asked.ends_with('*') && name.starts_with(asked.substr(0, asked.size() - 1)));
  });
}

torch::Tensor Recorder::publish(RecordingInfo info, const torch::Tensor& values) {
  const torch::Tensor used =
      replaces(info.name) ? interventions_->apply(info, values, firstTarget_) : values;
  const bool byNameOnly = names_.empty() && (info.kind == "block" || info.kind == "level");
  if (records(info.name) && !byNameOnly) tensors_.push_back({std::move(info), used.detach()});
  return used;
}

torch::Tensor Published::pass(const torch::Tensor& values) const {
  if (recorder == nullptr) return values;
  // A step may leave out the axis of its one position, which recordings have.
  if (values.dim() == std::ssize(info.axes))
    return recorder->publish(info, values.unsqueeze(1)).squeeze(1);
  if (!timeMajor) return recorder->publish(info, values);
  return recorder->publish(info, values.transpose(0, 1)).transpose(0, 1);
}

torch::Tensor Published::passWeights(const torch::Tensor& weights_BHTS) const {
  if (recorder == nullptr) return weights_BHTS;
  if (info.axes.front() == "head") return recorder->publish(info, weights_BHTS);
  return recorder->publish(info, weights_BHTS.squeeze(1)).unsqueeze(1);
}

Recording recordingOf(const RecordedTensor& recorded, std::int64_t row,
                      const SentenceLengths& lengths) {
  const torch::Tensor values = cutToLengths(recorded.info, recorded.values[row], lengths);
  const torch::Tensor host = values.to(torch::kCPU, torch::kFloat32).contiguous();
  const float* first = host.data_ptr<float>();
  return {recorded.info, host.sizes().vec(), {first, first + host.numel()}};
}

}  // namespace strata
