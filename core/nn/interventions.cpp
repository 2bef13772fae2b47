#include "core/nn/interventions.h"

#include <algorithm>
#include <charconv>

#include "core/base/error.h"
#include "core/nn/true_lengths.h"

namespace strata {
namespace {

template <typename Number>
bool readNumber(const std::string& text, Number& number) {
  const char* const end = text.data() + text.size();
  const auto [at, code] = std::from_chars(text.data(), end, number);
  return code == std::errc() && at == end;
}

[[noreturn]] void refuse(const std::string& text) {
  throw usageError(
      "'{}' is not an intervention: expected NAME=zero, NAME=mean or NAME=NUMBER, with "
      "NAME[AXIS=INDEX] for one index of an axis, such as decoder.layers.0.encoder_attn[head=1]",
      text);
}

}  // namespace

Interventions Interventions::parse(const std::vector<std::string>& texts) {
  Interventions all;
  for (const std::string& text : texts) {
    const auto equals = text.rfind('=');
    const auto bracket = text.find('[');
    const bool indexed = bracket != std::string::npos && bracket < equals;
    if (equals == std::string::npos || equals == 0 || bracket == 0) refuse(text);
    Replacement replacement{.text = text, .axis = {}};
    const std::string value = text.substr(equals + 1);
    if (value == "mean") {
      replacement.value.reset();
    } else if (value != "zero" && !readNumber(value, *replacement.value)) {
      refuse(text);
    }
    std::string name = text.substr(0, equals);
    if (indexed) {
      const std::string place = text.substr(bracket + 1, equals - bracket - 1);
      const auto middle = place.find('=');
      if (middle == std::string::npos || middle == 0 || !place.ends_with(']')) refuse(text);
      replacement.axis = place.substr(0, middle);
      const std::string index = place.substr(middle + 1, place.size() - middle - 2);
      if (!readNumber(index, replacement.index) || replacement.index < 0) refuse(text);
      name = text.substr(0, bracket);
    }
    all.replaced_[name].push_back(std::move(replacement));
  }
  return all;
}

std::vector<std::string> Interventions::meansWanted() const {
  std::vector<std::string> names;
  for (const auto& [name, replacements] : replaced_) {
    if (std::ranges::any_of(replacements, [](const Replacement& each) { return !each.value; }))
      names.push_back(name);
  }
  return names;
}

void Interventions::setMean(const std::string& name, torch::Tensor mean) {
  means_[name] = std::move(mean);
}

Interventions Interventions::within(const std::string& prefix) const {
  Interventions inner;
  for (const auto& [name, replacements] : replaced_) {
    if (name.starts_with(prefix)) inner.replaced_[name.substr(prefix.size())] = replacements;
  }
  for (const auto& [name, mean] : means_) {
    if (name.starts_with(prefix)) inner.means_[name.substr(prefix.size())] = mean;
  }
  return inner;
}

torch::Tensor Interventions::apply(const RecordingInfo& info, const torch::Tensor& values) const {
  const auto found = replaced_.find(info.name);
  if (found == replaced_.end()) return values;
  torch::Tensor result = values.clone();
  for (const Replacement& replacement : found->second) {
    torch::Tensor source;
    if (!replacement.value) {
      const auto mean = means_.find(info.name);
      if (mean == means_.end())
        throw usageError("{}: the mean of '{}' is not known", replacement.text, info.name);
      auto shape = values.sizes().vec();
      shape[0] = 1;
      for (std::size_t axis = 0; axis < info.axes.size(); ++axis) {
        if (isPositionAxis(info.axes[axis])) shape[axis + 1] = 1;
      }
      source = mean->second.to(values.options()).view(shape).expand_as(values);
      // Padding and future words have a weight of exactly 0, and keep it.
      if (info.kind.ends_with("attention")) source = source.masked_fill(values == 0, 0);
    } else {
      source = torch::full({1}, *replacement.value, values.options()).expand_as(values);
    }
    if (replacement.axis.empty()) {
      result.copy_(source);
      continue;
    }
    const auto axis = std::find(info.axes.begin(), info.axes.end(), replacement.axis);
    if (axis == info.axes.end())
      throw usageError("{}: '{}' has the axes {}, not '{}'", replacement.text, info.name,
                       fmt::join(info.axes, ", "), replacement.axis);
    const auto dimension = axis - info.axes.begin() + 1;
    if (replacement.index >= values.size(dimension))
      throw usageError("{}: '{}' has {} along {}", replacement.text, info.name,
                       values.size(dimension), replacement.axis);
    result.select(dimension, replacement.index).copy_(source.select(dimension, replacement.index));
  }
  return result;
}

void Interventions::check(const std::vector<RecordingInfo>& offered) const {
  for (const auto& [name, replacements] : replaced_) {
    if (std::ranges::find(offered, name, &RecordingInfo::name) != offered.end()) continue;
    std::vector<std::string> names;
    for (const RecordingInfo& info : offered) names.push_back(info.name);
    throw usageError("{}: the model has no internal '{}'; it has {}", replacements.front().text,
                     name, fmt::join(names, ", "));
  }
}

PositionSum sumOverPositions(const RecordingInfo& info, const torch::Tensor& values,
                             const PublishedLengths& lengths) {
  PositionSum total;
  for (std::int64_t row = 0; row < values.size(0); ++row) {
    const SentenceLengths sentence{.source = lengths.source_B[row].item<std::int64_t>(),
                                   .target = lengths.target_B[row].item<std::int64_t>()};
    const torch::Tensor cut = cutToLengths(info, values[row], sentence);
    std::vector<std::int64_t> positionAxes;
    std::int64_t positions = 1;
    for (std::size_t axis = 0; axis < info.axes.size(); ++axis) {
      if (!isPositionAxis(info.axes[axis])) continue;
      const auto dimension = static_cast<std::int64_t>(axis);
      positions *= cut.size(dimension);
      positionAxes.push_back(dimension);
    }
    const torch::Tensor sum =
        positionAxes.empty() ? cut.to(torch::kFloat64) : cut.to(torch::kFloat64).sum(positionAxes);
    total.sum = total.sum.defined() ? total.sum + sum : sum;
    total.positions += positions;
  }
  return total;
}

}  // namespace strata
