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

}  // namespace strata
