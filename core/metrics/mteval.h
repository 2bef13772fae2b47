#pragma once
#include <array>
#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/metrics/metric.h"

namespace strata {

// Options of mteval-v13a.pl.
struct MtevalOptions {
  bool caseSensitive = false;      // -c
  bool international = false;      // --international-tokenization
  bool smoothing = true;           // --no-smoothing; of BLEU only
  bool shortestReference = false;  // --brevity-penalty shortest, else the closest; of BLEU only
};

constexpr std::size_t kMtevalOrder = 9;  // the longest n-grams that the script counts

// What the script prints besides the score, by n-gram length from 1.
struct MtevalDetail {
  std::array<double, kMtevalOrder> individual{};  // BLEU: 0 .. 1, without the brevity penalty
  std::array<double, kMtevalOrder> cumulative{};  // BLEU: 0 .. 1, with it; NIST: both with it
  double penalty = 0;                             // 0 .. 1, for short hypotheses
  double hypothesisLength = 0;                    // words
  double referenceLength = 0;                     // BLEU: closest or shortest; NIST: their mean
};

class MtevalReferences;

// The scores of NIST's mteval-v13a.pl with lines as segments. Lines are plain text: the script
// computes the same scores for them with & < > escaped. In both metrics references[r][i] is the
// r-th reference of sentence i; none, or unequal numbers of lines, are Errors.
//
// The script fails if all hypotheses are empty or a sentence has only empty references, and its
// BLEU also if the reference lengths add up to 0; such sums score 0 here.
class MtevalMetric : public Metric {
 public:
  std::size_t sentences() const override;
  virtual MtevalDetail detail(std::span<const double> sums) const = 0;

 protected:
  // withCounts: of each n-gram in all references, for its information.
  MtevalMetric(const std::vector<std::vector<std::string>>& references,
               const MtevalOptions& options, bool withCounts);

  MtevalOptions options_;
  std::shared_ptr<const MtevalReferences> references_;
};

// BLEU with n-grams up to 4 (Papineni et al., ACL 2002), 0 .. 100, i.e. a hundred times what the
// script prints. Orders that all hypotheses are too short for have precision 1. With smoothing the
// k-th order without a match has precision 1 / (2^k x its n-grams), for a corpus as for a sentence.
// Row: matches of each order, hypothesis n-grams of each order, reference length, words of all
// references.
class MtevalBleuMetric final : public MtevalMetric {
 public:
  MtevalBleuMetric(const std::vector<std::vector<std::string>>& references,
                   const MtevalOptions& options)
      : MtevalMetric(references, options, /*withCounts=*/false) {}

  std::string name() const override { return "mteval BLEU"; }
  // "nrefs:1|case:lc|tok:mteval-v13a|smooth:yes|bp:closest|mteval-v13a"
  std::string signature() const override;
  std::size_t width() const override { return 2 * kMtevalOrder + 2; }

  void compare(std::size_t sentence, std::string_view hypothesis,
               std::span<double> row) const override;
  double score(std::span<const double> sums) const override;
  double sentenceScore(std::span<const double> row) const override;
  MtevalDetail detail(std::span<const double> sums) const override;
};

// NIST with n-grams up to 5 (Doddington, HLT 2002), from 0, as printed by the script. An n-gram's
// weight is the information in bits of its last word given the words before it, estimated on all
// references of the set: the score of a subset uses the weights of the full set.
// Row: information-weighted matches of each order, hypothesis n-grams of each order, words of all
// references.
class NistMetric final : public MtevalMetric {
 public:
  NistMetric(const std::vector<std::vector<std::string>>& references, const MtevalOptions& options)
      : MtevalMetric(references, options, /*withCounts=*/true) {}

  std::string name() const override { return "NIST"; }
  // "nrefs:1|case:lc|tok:mteval-v13a|mteval-v13a"; the other options do not affect it
  std::string signature() const override;
  std::size_t width() const override { return 2 * kMtevalOrder + 1; }

  void compare(std::size_t sentence, std::string_view hypothesis,
               std::span<double> row) const override;
  double score(std::span<const double> sums) const override;
  MtevalDetail detail(std::span<const double> sums) const override;
};

}  // namespace strata
