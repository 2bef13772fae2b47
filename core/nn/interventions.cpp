#include "core/nn/interventions.h"

#include <algorithm>
#include <cmath>

#include "core/base/error.h"
#include "core/base/parse_number.h"
#include "core/nn/true_lengths.h"

namespace strata {
namespace {

template <typename Number>
bool readNumber(const std::string& text, Number& number) {
  const auto parsed = parseNumber<Number>(text);
  if (parsed) number = *parsed;
  return parsed.has_value();
}

[[noreturn]] void refuse(const std::string& text) {
  throw usageError(
      "'{}' is not an intervention: expected NAME=zero, NAME=mean, NAME=mask, NAME=NUMBER, "
      "NAME=read:POSITION or NAME=read:POSITION*WEIGHT,POSITION*WEIGHT, with NAME[AXIS=INDEX] for "
      "one index of an axis and NAME[AXIS=INDEX,AXIS=INDEX] for one of several, such as "
      "decoder.layers.0.encoder_attn[head=1]",
      text);
}

void requireWeights(const std::string& text, const RecordingInfo& info, const char* what) {
  if (info.kind == "hop_weights" || info.kind.ends_with("attention")) return;
  throw usageError("{}: only the weights of a softmax can be {}, and '{}' is no such map", text,
                   what, info.name);
}

// Axes that grow by a position with every word generated.
bool grows(const std::string& axis) {
  return axis == "history" || axis == "memory";
}

std::int64_t sizeAlong(const RecordingInfo& info, const torch::Tensor& values,
                       const std::string& axis) {
  return values.size(std::ranges::find(info.axes, axis) - info.axes.begin() + 1);
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
  } else if (value.starts_with("read:")) {
    replacement.with = With::kRead;
    replacement.shares = sharesOf(text, value.substr(5));
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

// "5" or "2*0.7,5*0.3".
std::vector<std::pair<std::int64_t, double>> Interventions::sharesOf(const std::string& text,
                                                                     std::string value) {
  std::vector<std::pair<std::int64_t, double>> shares;
  double sum = 0;
  for (bool more = true; more;) {
    const std::size_t end = value.find(',');
    more = end != std::string::npos;
    const std::string share = value.substr(0, end);
    value = more ? value.substr(end + 1) : "";
    const std::size_t times = share.find('*');
    const bool weighted = times != std::string::npos;
    std::int64_t position = 0;
    double weight = 1;
    if (!readNumber(share.substr(0, weighted ? times : share.size()), position) || position < 0 ||
        (weighted && !readNumber(share.substr(times + 1), weight)))
      refuse(text);
    if (!(weight >= 0) || !std::isfinite(weight))
      throw usageError("{}: the weight of position {} must be at least 0", text, position);
    if (std::ranges::count(shares, position, &std::pair<std::int64_t, double>::first) > 0)
      throw usageError("{}: position {} is given twice", text, position);
    if (weight == 0) continue;
    shares.emplace_back(position, weight);
    sum += weight;
  }
  if (sum <= 0) throw usageError("{}: at least one weight must be above 0", text);
  for (auto& [position, weight] : shares) weight /= sum;
  return shares;
}

const Interventions::Place* Interventions::Replacement::at(const std::string& axis) const {
  const auto found = std::ranges::find(places, axis, &Place::axis);
  return found == places.end() ? nullptr : &*found;
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

bool Interventions::namesPositions() const {
  for (const auto& [name, replacements] : replaced_) {
    for (const Replacement& each : replacements) {
      if (each.with == With::kRead || each.at("source") || each.at("history") || each.at("memory"))
        return true;
    }
  }
  return false;
}

std::optional<std::int64_t> Interventions::lastTarget() const {
  std::optional<std::int64_t> last;
  for (const auto& [name, replacements] : replaced_) {
    for (const Replacement& each : replacements) {
      if (const Place* target = each.at("target")) last = std::max(last.value_or(0), target->index);
    }
  }
  return last;
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

// The part of [B, ...] that a replacement names, with all its axes; empty if it is not in this
// step.
torch::Tensor Interventions::placed(const Replacement& replacement, const Pass& pass,
                                    torch::Tensor values) {
  const RecordingInfo& info = pass.info;
  for (const Place& place : replacement.places) {
    const auto axis = std::find(info.axes.begin(), info.axes.end(), place.axis);
    if (axis == info.axes.end())
      throw usageError("{}: '{}' has the axes {}, not '{}'", replacement.text, info.name,
                       fmt::join(info.axes, ", "), place.axis);
    const auto dimension = axis - info.axes.begin() + 1;
    const bool counted = pass.firstTarget && place.axis == "target";
    const std::int64_t index = place.index - (counted ? *pass.firstTarget : 0),
                       size = values.size(dimension);
    const bool elsewhere = index < 0 || index >= size;
    if (elsewhere && !counted && !(pass.firstTarget && grows(place.axis)))
      throw usageError("{}: '{}' has {} along {}", replacement.text, info.name, size, place.axis);
    values = values.narrow(dimension, elsewhere ? 0 : index, elsewhere ? 0 : 1);
  }
  return values;
}

torch::Tensor Interventions::masked(const Replacement& replacement, const Pass& pass,
                                    const torch::Tensor& values) {
  requireWeights(replacement.text, pass.info, "masked");
  const std::string& along = pass.info.axes.back();  // the softmax's
  if (replacement.at(along) == nullptr)
    throw usageError(
        "{}: a mask needs an index of the axis '{}', over which the weights sum to 1; to switch "
        "all of them off, use zero",
        replacement.text, along);
  torch::Tensor rest = values.clone();
  placed(replacement, pass, rest).zero_();
  const torch::Tensor sum = rest.sum(-1, /*keepdim=*/true);
  const torch::Tensor grown = rest * (values.sum(-1, /*keepdim=*/true) / sum);
  return torch::where(sum > 0, grown, torch::zeros_like(rest));
}

// The rows named become the distribution given.
torch::Tensor Interventions::given(const Replacement& replacement, const Pass& pass,
                                   const torch::Tensor& values) {
  const RecordingInfo& info = pass.info;
  requireWeights(replacement.text, info, "given");
  const std::string& along = info.axes.back();
  if (replacement.at(along) != nullptr && std::ranges::count(info.axes, along) == 1)
    throw usageError("{}: the weights over '{}' are given, so no index of it can be named",
                     replacement.text, along);
  torch::Tensor result = values.clone();
  torch::Tensor rows = placed(replacement, pass, result);
  std::int64_t readable = values.size(-1);
  if (grows(along)) {
    if (rows.numel() == 0) return result;  // what it may read is not known before its step
    // The row of target i of n reads all but the words that are generated after it.
    const Place* target = replacement.at("target");
    const std::int64_t row = target ? target->index - pass.firstTarget.value_or(0) : 0;
    readable -= sizeAlong(info, values, "target") - 1 - row;
  }
  torch::Tensor row = torch::zeros({values.size(-1)}, torch::kFloat64);
  for (const auto& [position, share] : replacement.shares) {
    if (position >= readable)
      throw usageError("{}: '{}' has {} along {}{}, so position {} cannot be read",
                       replacement.text, info.name, readable, along, grows(along) ? " there" : "",
                       position);
    row[position] = share;
  }
  rows.copy_(row.expand_as(rows));
  return result;
}

torch::Tensor Interventions::apply(const RecordingInfo& info, const torch::Tensor& values,
                                   std::optional<std::int64_t> firstTarget) const {
  const auto found = replaced_.find(info.name);
  if (found == replaced_.end()) return values;
  const Pass pass{info, firstTarget};
  torch::Tensor result = values.clone();
  for (const Replacement& replacement : found->second) {
    if (replacement.with == With::kMask || replacement.with == With::kRead) {
      result = replacement.with == With::kMask ? masked(replacement, pass, result)
                                               : given(replacement, pass, result);
      continue;
    }
    const torch::Tensor source =
        replacement.with == With::kMean
            ? meanFor(replacement, info, values)
            : torch::full({1}, replacement.value, values.options()).expand_as(values);
    placed(replacement, pass, result).copy_(placed(replacement, pass, source));
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
