#include "core/nn/true_lengths.h"

#include <algorithm>

namespace strata {

torch::Tensor cutToLengths(const RecordingInfo& info, torch::Tensor values,
                           const SentenceLengths& lengths) {
  const auto& axes = info.axes;
  const auto target = std::find(axes.begin(), axes.end(), "target");
  const std::int64_t history =  // columns of a memory axis that belong to the history
      target == axes.end() ? 0 : values.size(target - axes.begin());
  for (std::size_t axis = 0; axis < axes.size(); ++axis) {
    const std::string& name = axes[axis];
    const auto dimension = static_cast<std::int64_t>(axis);
    if (name == "source") values = values.narrow(dimension, 0, lengths.source);
    if (name == "target" || name == "history") values = values.narrow(dimension, 0, lengths.target);
    if (name == "memory") {
      const std::int64_t begin = values.size(dimension) - history;
      values = torch::cat({values.narrow(dimension, 0, lengths.source),
                           values.narrow(dimension, begin, lengths.target)},
                          dimension);
    }
  }
  return values;
}

bool isPositionAxis(const std::string& axis) {
  return axis == "target" || axis == "source" || axis == "history" || axis == "memory";
}

}  // namespace strata
