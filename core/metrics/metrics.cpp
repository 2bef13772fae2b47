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

template <typename Made, auto options>
MetricPointer make(const References& references, const MetricOptions& all) {
  return std::make_shared<Made>(references, all.*options);
}

const Maker kMakers[] = {{"bleu", make<BleuMetric, &MetricOptions::bleu>},
                         {"chrf", make<ChrfMetric, &MetricOptions::chrf>},
                         {"chrf++", chrfPlusPlus},
                         {"ter", make<TerMetric, &MetricOptions::ter>},
                         {"multi-bleu", make<MultiBleuMetric, &MetricOptions::multiBleu>},
                         {"mteval-bleu", make<MtevalBleuMetric, &MetricOptions::mteval>},
                         {"mteval-nist", make<NistMetric, &MetricOptions::mteval>}};

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
    Json details = detailsOf(moses->details(sums));
    details["line"] = multiBleuLine(moses->details(sums));
    return details;
  }
  if (const auto* mteval = dynamic_cast<const MtevalMetric*>(&metric))
    return detailsOf(mteval->detail(sums));
  if (dynamic_cast<const TerMetric*>(&metric) != nullptr)
    return {{"edits", sums[0]}, {"ref_len", sums[1]}};
  return Json::object();
}

}  // namespace strata
