#pragma once
#include "core/metrics/bleu.h"
#include "core/metrics/metric.h"

namespace strata {

// sacreBLEU's BLEU. A single sentence is scored with effective order, like in sacreBLEU.
class BleuMetric final : public Metric {
 public:
  BleuMetric(const std::vector<std::vector<std::string>>& references, const BleuOptions& options)
      : options_(options), references_(references, options) {}

  std::string name() const override { return "BLEU"; }
  std::string signature() const override {
    return bleuSignature(options_, references_.references());
  }
  std::size_t sentences() const override { return references_.sentences(); }
  std::size_t width() const override { return 2 + 2 * static_cast<std::size_t>(options_.order); }
  void compare(std::size_t sentence, std::string_view hypothesis,
               std::span<double> row) const override;
  double score(std::span<const double> sums) const override { return details(sums).score; }
  double sentenceScore(std::span<const double> row) const override;

  // The score with all its components.
  BleuScore details(std::span<const double> sums) const;

 private:
  BleuOptions options_;
  BleuReferences references_;
};

// multi-bleu.perl, for tokenised text; 0 if no hypothesis has a word.
class MultiBleuMetric final : public Metric {
 public:
  using Options = MultiBleuOptions;
  MultiBleuMetric(const std::vector<std::vector<std::string>>& references, const Options& options)
      : options_(options), references_(references, options) {}

  std::string name() const override {
    return options_.splitHyphens ? "multi-bleu, hyphens split" : "multi-bleu";
  }
  std::string signature() const override;
  std::size_t sentences() const override { return references_.sentences(); }
  std::size_t width() const override { return 2 + 2 * 4; }
  void compare(std::size_t sentence, std::string_view hypothesis,
               std::span<double> row) const override;
  double score(std::span<const double> sums) const override { return details(sums).score; }

  BleuScore details(std::span<const double> sums) const;

 private:
  Options options_;
  BleuReferences references_;
};

}  // namespace strata
