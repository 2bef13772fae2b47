#include "core/compare/worth.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>

#include "core/base/error.h"
#include "core/compare/imported_metric.h"

namespace strata {
namespace {

struct Curve {
  std::string_view study;
  double a, b;  // per cent; per point
};
// The parameters of kocmitom/MT-Thresholds, python-tool/mt_thresholds.py.
constexpr Curve kCurves[] = {
    {"BLEU", 88.3333, 0.966393},          {"chrF", 93.0, 1.114273},
    {"spBLEU200", 91.0, 0.807905},        {"BLEURT-20", 98.3333, 1.372721},
    {"COMET20", 97.3333, 0.726699},       {"COMET22", 96.223741, 2.835919},
    {"CometKiwi22", 98.881416, 2.719281}, {"xCOMET-XXL", 98.934325, 1.162953},
};

// Parts of the names of models, in lower case.
struct KnownModel {
  std::string_view part, study;
};
constexpr KnownModel kModels[] = {{"wmt22-cometkiwi-da", "CometKiwi22"},
                                  {"wmt22-comet-da", "COMET22"},
                                  {"wmt20-comet-da", "COMET20"},
                                  {"xcomet-xxl", "xCOMET-XXL"},
                                  {"bleurt-20", "BLEURT-20"},
                                  {"spbleu200", "spBLEU200"}};

bool has(std::string_view signature, std::string_view part) {
  return ("|" + std::string(signature) + "|").find("|" + std::string(part) + "|") !=
         std::string::npos;
}

bool hasAll(std::string_view signature, std::initializer_list<std::string_view> parts) {
  return std::ranges::all_of(parts, [&](std::string_view part) { return has(signature, part); });
}

// The study's name of a metric computed here; empty: it has none.
std::string_view studyOf(const Metric& metric) {
  const std::string signature = metric.signature();
  constexpr std::size_t kFourOrders = 10;  // numbers of a row
  if (metric.name() == "BLEU" && metric.width() == kFourOrders &&
      hasAll(signature, {"nrefs:1", "case:mixed", "eff:no", "tok:13a", "smooth:exp"}))
    return "BLEU";
  if (metric.name() == "chrF2" &&
      hasAll(signature, {"nrefs:1", "case:mixed", "eff:yes", "nc:6", "nw:0", "space:no"}))
    return "chrF";
  return {};
}

// Ends a name that goes on with a letter or a number: "BLEURT-20-D3" is not "BLEURT-20".
bool endsName(std::string_view name, std::size_t at) {
  return at == name.size() || name[at] == ' ' || name[at] == '/';
}

std::string_view studyOf(const ImportedMetricInfo& info) {
  if (!info.higherIsBetter || info.scale == ScoreScale::kOther) return {};
  std::string name = info.name();
  std::ranges::transform(name, name.begin(),
                         [](char c) { return c >= 'A' && c <= 'Z' ? c + 32 : c; });
  for (const KnownModel& model : kModels) {
    const auto at = name.find(model.part);
    if (at != name.npos && endsName(name, at + model.part.size())) return model.study;
  }
  return {};
}

constexpr auto kNames = [] {
  std::array<std::string_view, std::size(kCurves)> names;
  for (std::size_t i = 0; i < names.size(); ++i) names[i] = kCurves[i].study;
  return names;
}();

}  // namespace

std::span<const std::string_view> worthMetrics() {
  return kNames;
}

Worth worthOf(std::string_view study, double points) {
  const auto* curve = std::ranges::find(kCurves, study, &Curve::study);
  if (curve == std::end(kCurves))
    throw usageError("the study has no metric '{}'; it has {}", study, fmt::join(kNames, ", "));
  return {curve->study, curve->a / (1 + std::exp(-curve->b * std::abs(points))) / 100};
}

std::optional<Worth> worthToPeople(const Metric& metric, double difference) {
  if (!std::isfinite(difference)) return std::nullopt;
  const ImportedMetric* imported = importedMetric(metric);
  const std::string_view study = imported ? studyOf(imported->info()) : studyOf(metric);
  if (study.empty()) return std::nullopt;
  const bool unit = imported && imported->info().scale == ScoreScale::kUnit;
  return worthOf(study, unit ? 100 * difference : difference);
}

}  // namespace strata
