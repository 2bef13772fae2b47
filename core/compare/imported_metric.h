#pragma once
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/metrics/metric.h"

namespace strata {

// The range of a metric's values: how many points a difference is, and how many digits it needs.
enum class ScoreScale { kUnit, kHundred, kOther };
std::string_view nameOf(ScoreScale scale);               // "0-1", "0-100", "other"
ScoreScale scoreScaleNamed(std::string_view name);       // other names are usage errors
ScoreScale likelyScale(std::span<const double> values);  // NaN is left out

// What is known of scores that another program made.
struct ImportedMetricInfo {
  std::string metric = {};  // "COMET"
  std::string model = {};   // "Unbabel/wmt22-comet-da"; may be empty
  bool higherIsBetter = true;
  ScoreScale scale = ScoreScale::kOther;

  std::string name() const;  // "COMET Unbabel/wmt22-comet-da"
  bool operator==(const ImportedMetricInfo&) const = default;
};

// Scores of one metric made elsewhere, for the systems of a comparison.
struct ImportedScores {
  ImportedMetricInfo info;
  // [system][sentence]; NaN: missing. Empty, or none for the last systems: the system has none.
  std::vector<std::vector<double>> values;
};

// A metric whose sentence scores were made elsewhere. A row has a sentence's score and 1, or twice
// 0 if it has none; the score of sentences is the mean of those that have one, NaN if none has.
class ImportedMetric : public Metric {
 public:
  ImportedMetric(ImportedMetricInfo info, std::size_t sentences);

  const ImportedMetricInfo& info() const { return info_; }
  std::string name() const override { return info_.name(); }
  std::string signature() const override;
  bool higherIsBetter() const override { return info_.higherIsBetter; }
  std::size_t sentences() const override { return sentences_; }
  std::size_t width() const override { return 2; }
  void compare(std::size_t sentence, std::string_view hypothesis,
               std::span<double> row) const override;
  double score(std::span<const double> sums) const override;

  // Of a system's values; without any every sentence is missing.
  MetricRows rowsOf(std::span<const double> values) const;
  // How many of these rows have a score.
  static std::size_t scored(const MetricRows& rows);

 private:
  ImportedMetricInfo info_;
  std::size_t sentences_;
};

// Null if the metric was computed here.
const ImportedMetric* importedMetric(const Metric& metric);
// Digits after the point with which a metric's scores are shown.
int scoreDigits(const Metric& metric);

}  // namespace strata
