#pragma once
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/json.h"
#include "core/metrics/bleu_metric.h"
#include "core/metrics/chrf.h"
#include "core/metrics/metric.h"
#include "core/metrics/mteval.h"
#include "core/metrics/ter.h"

namespace strata {

// The options of every metric.
struct MetricOptions {
  BleuOptions bleu;
  MultiBleuMetric::Options multiBleu;
  ChrfOptions chrf;  // of chrF++ too, which counts words regardless of wordOrder
  TerOptions ter;
  MtevalOptions mteval;

  // For BLEU, multi-bleu and chrF; TER and mteval ignore case unless told otherwise.
  void setLowercase(bool on) { bleu.lowercase = multiBleu.lowercase = chrf.lowercase = on; }
};

// "bleu", "chrf", "chrf++", "ter", "multi-bleu", "mteval-bleu", "mteval-nist".
std::vector<std::string> metricNames();
// Creates one of them; other names are usage errors. references[r][i] is the r-th reference of
// sentence i.
MetricPointer makeMetric(std::string_view name,
                         const std::vector<std::vector<std::string>>& references,
                         const MetricOptions& options = {});

// The components of a score, by name: precisions, lengths, edits.
Json metricDetails(const Metric& metric, std::span<const double> sums);

}  // namespace strata
