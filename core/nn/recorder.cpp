#include "core/nn/recorder.h"

namespace strata {

bool Recorder::wants(const std::string& name) const {
  if (names_.empty()) return true;
  for (const std::string& asked : names_) {
    if (asked == name) return true;
    if (asked.ends_with('*') && name.starts_with(asked.substr(0, asked.size() - 1))) return true;
  }
  return false;
}

void Recorder::add(RecordingInfo info, torch::Tensor values) {
  tensors_.push_back({std::move(info), values.detach()});
}

Recording recordingOf(const RecordedTensor& recorded, std::int64_t row,
                      const SentenceLengths& lengths) {
  torch::Tensor values = recorded.values[row];
  for (std::size_t axis = 0; axis < recorded.info.axes.size(); ++axis) {
    const std::string& name = recorded.info.axes[axis];
    const auto dimension = static_cast<std::int64_t>(axis);
    if (name == "source") values = values.narrow(dimension, 0, lengths.source);
    if (name == "target" || name == "history") values = values.narrow(dimension, 0, lengths.target);
  }
  const torch::Tensor host = values.to(torch::kCPU, torch::kFloat32).contiguous();
  const float* first = host.data_ptr<float>();
  return {recorded.info, host.sizes().vec(), {first, first + host.numel()}};
}

}  // namespace strata
