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
      "'{}' is not an intervention: expected NAME=zero, NAME=mean, NAME=mask or NAME=NUMBER, with "
      "NAME[AXIS=INDEX] for one index of an axis and NAME[AXIS=INDEX,AXIS=INDEX] for one of "
      "several, such as decoder.layers.0.encoder_attn[head=1]",
      text);
}

}  // namespace

// `name` receives what is replaced.
Interventions::Replacement Interventions::parsed(const std::string& text, std::string& name) {
  const auto equals = text.rfind('=');
  const auto bracket = text.find('[');
  const bool indexed = bracket != std::string::npos && bracket < equals;
  if (equals == std::string::npos || equals == 0 || bracket == 0) refuse(text);
  Replacement replacement{.text = text};
  const std::string value = text.substr(equals + 1);
  if (value == "mean") {
    replacement.with = With::kMean;
  } else if (value == "mask") {
    replacement.with = With::kMask;
  } else if (value != "zero" && !readNumber(value, replacement.value)) {
    refuse(text);
  }
  name = text.substr(0, indexed ? bracket : equals);
  if (!indexed) return replacement;
  const std::string inner = text.substr(bracket + 1, equals - bracket - 1);
  if (!inner.ends_with(']')) refuse(text);
  for (std::size_t begin = 0; begin < inner.size();) {
    const std::size_t end = std::min(inner.find(',', begin), inner.size() - 1);
    const std::string place = inner.substr(begin, end - begin);
    const auto middle = place.find('=');
    if (middle == std::string::npos || middle == 0) refuse(text);
    Place& added = replacement.places.emplace_back(Place{place.substr(0, middle)});
    if (!readNumber(place.substr(middle + 1), added.index) || added.index < 0) refuse(text);
    if (std::ranges::count(replacement.places, added.axis, &Place::axis) > 1)
      throw usageError("'{}' names the axis {} twice", text, added.axis);
    begin = end + 1;
  }
  return replacement;
}

Interventions Interventions::parse(const std::vector<std::string>& texts) {
  Interventions all;
  for (const std::string& text : texts) {
    std::string name;
    Replacement replacement = parsed(text, name);
    all.replaced_[name].push_back(std::move(replacement));
  }
  return all;
}

std::vector<std::string> Interventions::meansWanted() const {
  std::vector<std::string> names;
  for (const auto& [name, replacements] : replaced_) {
    if (std::ranges::any_of(replacements,
                            [](const Replacement& each) { return each.with == With::kMean; }))
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

torch::Tensor Interventions::meanFor(const Replacement& replacement, const RecordingInfo& info,
                                     const torch::Tensor& values) const {
  const auto mean = means_.find(info.name);
  if (mean == means_.end())
    throw usageError("{}: the mean of '{}' is not known", replacement.text, info.name);
  auto shape = values.sizes().vec();
  shape[0] = 1;
  for (std::size_t axis = 0; axis < info.axes.size(); ++axis) {
    if (isPositionAxis(info.axes[axis])) shape[axis + 1] = 1;
  }
  const torch::Tensor all = mean->second.to(values.options()).view(shape).expand_as(values);
  // Padding and future words have a weight of exactly 0, and keep it.
  return info.kind.ends_with("attention") ? all.masked_fill(values == 0, 0) : all;
}

// The part of [B, ...] that a replacement names, with all its axes.
torch::Tensor Interventions::placed(const Replacement& replacement, const RecordingInfo& info,
                                    torch::Tensor values) {
  for (const Place& place : replacement.places) {
    const auto axis = std::find(info.axes.begin(), info.axes.end(), place.axis);
    if (axis == info.axes.end())
      throw usageError("{}: '{}' has the axes {}, not '{}'", replacement.text, info.name,
                       fmt::join(info.axes, ", "), place.axis);
    const auto dimension = axis - info.axes.begin() + 1;
    if (place.index >= values.size(dimension))
      throw usageError("{}: '{}' has {} along {}", replacement.text, info.name,
                       values.size(dimension), place.axis);
    values = values.narrow(dimension, place.index, 1);
  }
  return values;
}

torch::Tensor Interventions::masked(const Replacement& replacement, const RecordingInfo& info,
                                    const torch::Tensor& values) {
  if (info.kind != "hop_weights" && !info.kind.ends_with("attention"))
    throw usageError("{}: only the weights of a softmax can be masked, and '{}' is no such map",
                     replacement.text, info.name);
  const std::string& along = info.axes.back();  // the softmax's
  if (std::ranges::find(replacement.places, along, &Place::axis) == replacement.places.end())
    throw usageError(
        "{}: a mask needs an index of the axis '{}', over which the weights sum to 1; to switch "
        "all of them off, use zero",
        replacement.text, along);
  torch::Tensor rest = values.clone();
  placed(replacement, info, rest).zero_();
  const torch::Tensor sum = rest.sum(-1, /*keepdim=*/true);
  const torch::Tensor grown = rest * (values.sum(-1, /*keepdim=*/true) / sum);
  return torch::where(sum > 0, grown, torch::zeros_like(rest));
}

torch::Tensor Interventions::apply(const RecordingInfo& info, const torch::Tensor& values) const {
  const auto found = replaced_.find(info.name);
  if (found == replaced_.end()) return values;
  torch::Tensor result = values.clone();
  for (const Replacement& replacement : found->second) {
    if (replacement.with == With::kMask) {
      result = masked(replacement, info, result);
      continue;
    }
    const torch::Tensor source =
        replacement.with == With::kMean
            ? meanFor(replacement, info, values)
            : torch::full({1}, replacement.value, values.options()).expand_as(values);
    placed(replacement, info, result).copy_(placed(replacement, info, source));
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
