#include "core/metrics/metric.h"

#include "core/base/error.h"
#include "core/base/threads.h"
#include "core/base/utf8.h"
#include "core/base/version.h"

namespace strata {

std::string signatureVersion() {
  return fmt::format("strata-{}", programVersion());
}

void checkUtf8(std::string_view line) {
  if (const auto bad = firstInvalidUtf8(line))
    throw Error("byte {} of the line is not UTF-8", *bad);
}

std::size_t checkReferences(const std::vector<std::vector<std::string>>& references) {
  if (references.empty()) throw usageError("a score needs at least one reference");
  for (const auto& reference : references) {
    if (reference.size() != references.front().size()) {
      throw Error("the references have {} and {} lines: each must have one line per sentence",
                  references.front().size(), reference.size());
    }
  }
  return references.front().size();
}

void checkSameLines(std::size_t hypotheses, std::size_t others, std::string_view what) {
  if (hypotheses == others) return;
  throw Error("there are {} hypotheses and {} {}: line n of one belongs to line n of the other",
              hypotheses, others, what);
}

void addRow(std::span<const double> row, std::span<double> sums) {
  for (std::size_t c = 0; c < sums.size(); ++c) sums[c] += row[c];
}

std::vector<double> MetricRows::sums() const {
  std::vector<double> sums(width, 0.0);
  for (std::size_t i = 0; i < sentences(); ++i) addRow(row(i), sums);
  return sums;
}

std::vector<double> MetricRows::sums(std::span<const std::size_t> sentences) const {
  std::vector<double> sums(width, 0.0);
  for (const std::size_t sentence : sentences) addRow(row(sentence), sums);
  return sums;
}

MetricRows MetricRows::only(std::span<const std::size_t> sentences) const {
  MetricRows kept{width, {}};
  kept.values.reserve(width * sentences.size());
  for (const std::size_t sentence : sentences) {
    const auto from = row(sentence);
    kept.values.insert(kept.values.end(), from.begin(), from.end());
  }
  return kept;
}

MetricRows compareAll(const Metric& metric, std::span<const std::string> hypotheses, int threads) {
  checkSameLines(hypotheses.size(), metric.sentences());
  MetricRows rows = MetricRows::zeros(hypotheses.size(), metric.width());
  inParts(hypotheses.size(), kSentencesAThread, threads, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) metric.compare(i, hypotheses[i], rows.row(i));
  });
  return rows;
}

}  // namespace strata
