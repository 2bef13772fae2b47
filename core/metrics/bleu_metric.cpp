#include "core/metrics/bleu_metric.h"

#include <fmt/format.h>

namespace strata {
namespace {

// A row: lengths of the hypothesis and the reference, matching n-grams of each order, all n-grams.
void writeRow(const BleuStats& stats, std::span<double> row) {
  const std::size_t order = (row.size() - 2) / 2;
  row[0] = static_cast<double>(stats.hypothesisLength);
  row[1] = static_cast<double>(stats.referenceLength);
  for (std::size_t n = 0; n < order; ++n) {
    row[2 + n] = static_cast<double>(stats.correct[n]);
    row[2 + order + n] = static_cast<double>(stats.total[n]);
  }
}

BleuStats statsOf(std::span<const double> row) {
  const std::size_t order = (row.size() - 2) / 2;
  BleuStats stats;
  stats.hypothesisLength = static_cast<std::int64_t>(row[0]);
  stats.referenceLength = static_cast<std::int64_t>(row[1]);
  for (std::size_t n = 0; n < order; ++n) {
    stats.correct[n] = static_cast<std::int64_t>(row[2 + n]);
    stats.total[n] = static_cast<std::int64_t>(row[2 + order + n]);
  }
  return stats;
}

}  // namespace

void BleuMetric::compare(std::size_t sentence, std::string_view hypothesis,
                         std::span<double> row) const {
  writeRow(references_.compare(sentence, hypothesis), row);
}

double BleuMetric::sentenceScore(std::span<const double> row) const {
  BleuOptions options = options_;
  options.effectiveOrder = true;
  return bleu(statsOf(row), options).score;
}

BleuScore BleuMetric::details(std::span<const double> sums) const {
  return bleu(statsOf(sums), options_);
}

std::string MultiBleuMetric::signature() const {
  return fmt::format("nrefs:{}|case:{}|multi-bleu.perl{}", references_.references(),
                     options_.lowercase ? "lc" : "mixed",
                     options_.splitHyphens ? "|hyphens:split" : "");
}

void MultiBleuMetric::compare(std::size_t sentence, std::string_view hypothesis,
                              std::span<double> row) const {
  writeRow(references_.compare(sentence, hypothesis), row);
}

BleuScore MultiBleuMetric::details(std::span<const double> sums) const {
  const BleuStats stats = statsOf(sums);
  const bool isDefined = stats.hypothesisLength > 0 || stats.referenceLength == 0;
  return isDefined ? multiBleu(stats) : bleu(stats, {});
}

}  // namespace strata
