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
  ChrfOptions chrf;  // of chrF++ too, whose words are counted whatever wordOrder says
  TerOptions ter;
  MtevalOptions mteval;

  // Of BLEU, multi-bleu and chrF; TER and mteval take no notice of case unless they are told to.
  void setLowercase(bool on) { bleu.lowercase = multiBleu.lowercase = chrf.lowercase = on; }
};

// "bleu", "chrf", "chrf++", "ter", "multi-bleu", "mteval-bleu", "mteval-nist".
std::vector<std::string> metricNames();
// One of them; other names are usage errors. references[r][i] is the r-th reference of sentence i.
MetricPointer makeMetric(std::string_view name,
                         const std::vector<std::vector<std::string>>& references,
                         const MetricOptions& options = {});

// What a score is made of, by name: precisions, lengths, edits.
Json metricDetails(const Metric& metric, std::span<const double> sums);

}  // namespace strata
