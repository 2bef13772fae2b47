#include "core/metrics/metrics.h"

#include <fmt/ranges.h>

#include <algorithm>

#include "core/base/error.h"

namespace strata {
namespace {

using References = std::vector<std::vector<std::string>>;

struct Maker {
  const char* name;
  MetricPointer (*make)(const References&, const MetricOptions&);
};

MetricPointer chrfPlusPlus(const References& references, const MetricOptions& options) {
  ChrfOptions chrf = options.chrf;
  chrf.wordOrder = 2;
  return std::make_shared<ChrfMetric>(references, chrf);
}

const Maker kMakers[] = {
    {"bleu",
     [](const References& r, const MetricOptions& o) -> MetricPointer {
       return std::make_shared<BleuMetric>(r, o.bleu);
     }},
    {"chrf",
     [](const References& r, const MetricOptions& o) -> MetricPointer {
       return std::make_shared<ChrfMetric>(r, o.chrf);
     }},
    {"chrf++", chrfPlusPlus},
    {"ter",
     [](const References& r, const MetricOptions& o) -> MetricPointer {
       return std::make_shared<TerMetric>(r, o.ter);
     }},
    {"multi-bleu",
     [](const References& r, const MetricOptions& o) -> MetricPointer {
       return std::make_shared<MultiBleuMetric>(r, o.multiBleu);
     }},
    {"mteval-bleu",
     [](const References& r, const MetricOptions& o) -> MetricPointer {
       return std::make_shared<MtevalBleuMetric>(r, o.mteval);
     }},
    {"mteval-nist",
     [](const References& r, const MetricOptions& o) -> MetricPointer {
       return std::make_shared<NistMetric>(r, o.mteval);
     }},
};

Json detailsOf(const BleuScore& score) {
  return {{"precisions", score.precisions}, {"counts", score.counts},
          {"totals", score.totals},         {"bp", score.brevityPenalty},
          {"sys_len", score.systemLength},  {"ref_len", score.referenceLength}};
}

Json detailsOf(const MtevalDetail& detail) {
  return {{"individual", detail.individual},
          {"cumulative", detail.cumulative},
          {"penalty", detail.penalty},
          {"sys_len", detail.hypothesisLength},
          {"ref_len", detail.referenceLength}};
}

}  // namespace

std::vector<std::string> metricNames() {
  std::vector<std::string> names;
  for (const Maker& maker : kMakers) names.emplace_back(maker.name);
  return names;
}

MetricPointer makeMetric(std::string_view name, const References& references,
                         const MetricOptions& options) {
  const auto* found = std::ranges::find_if(kMakers, [&](const Maker& m) { return m.name == name; });
  if (found == std::end(kMakers)) {
    throw usageError("unknown metric '{}'; expected one of {}", name,
                     fmt::join(metricNames(), ", "));
  }
  return found->make(references, options);
}

Json metricDetails(const Metric& metric, std::span<const double> sums) {
  if (const auto* bleu = dynamic_cast<const BleuMetric*>(&metric))
    return detailsOf(bleu->details(sums));
  if (const auto* moses = dynamic_cast<const MultiBleuMetric*>(&metric)) {
    const BleuScore score = moses->details(sums);
    Json details = detailsOf(score);
    details["line"] = multiBleuLine(score);
    return details;
  }
  if (const auto* nist = dynamic_cast<const NistMetric*>(&metric))
    return detailsOf(nist->detail(sums));
  if (const auto* mteval = dynamic_cast<const MtevalBleuMetric*>(&metric))
    return detailsOf(mteval->detail(sums));
  if (dynamic_cast<const TerMetric*>(&metric) != nullptr)
    return {{"edits", sums[0]}, {"ref_len", sums[1]}};
  return Json::object();
}

}  // namespace strata
