#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/metrics/metric.h"
#include "core/metrics/prepared_references.h"

namespace strata {

constexpr int kMaxChrfOrder = 100;
constexpr double kMaxChrfBeta = 1e6;

// sacreBLEU's options with its defaults. At least one of the orders must be above 0.
struct ChrfOptions {
  int characterOrder = 6;   // 0 .. kMaxChrfOrder
  int wordOrder = 0;        // 0 .. kMaxChrfOrder; 1 is chrF+, 2 is chrF++
  double beta = 2;          // 0 .. kMaxChrfBeta; recall is weighted beta times as much as precision
  bool lowercase = false;   // as Python's str.lower
  bool whitespace = false;  // white space counts as characters
  bool epsilonSmoothing = false;  // mean of the orders' F scores, including orders without n-grams
};

// The symbols of one line.
struct ChrfLine {
  std::vector<char32_t> characters;
  std::vector<std::uint64_t> words;  // hashes
};

// chrF (Popovic 2015) and chrF++ (Popovic 2017) as in sacreBLEU 2.6.0: F-beta of n-gram precision
// and recall, each averaged over the orders of characters and words. With several references, a
// sentence uses the one with its highest F, ties by order.
class ChrfMetric final : public Metric {
 public:
  // references[r][i] is the r-th reference of sentence i; at least one, all of the same length.
  ChrfMetric(const std::vector<std::vector<std::string>>& references, const ChrfOptions& options);

  std::string name() const override;  // "chrF2", "chrF2++", "chrF0.5"
  // As sacreBLEU's; beta is in the name instead:
  // "nrefs:1|case:mixed|eff:yes|nc:6|nw:0|space:no|version:strata-0.1.0".
  std::string signature() const override;
  std::size_t sentences() const override { return references_.sentences(); }
  std::size_t width() const override;

  // Three numbers per order, characters first: n-grams of the hypothesis (0 if the reference has
  // none of that order), of the reference, and of both.
  void compare(std::size_t sentence, std::string_view hypothesis,
               std::span<double> row) const override;
  double score(std::span<const double> sums) const override;  // 0 .. 100

 private:
  ChrfOptions options_;
  PreparedReferences<ChrfLine> references_;
};

}  // namespace strata
