#include "core/metrics/mteval.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>

#include "core/base/digest.h"
#include "core/base/error.h"
#include "core/metrics/mteval_words.h"
#include "core/metrics/prepared_references.h"

namespace strata {
namespace {

constexpr std::size_t kBleuOrder = 4, kNistOrder = 5;

// Offsets of the values that both rows have in common.
constexpr std::size_t kMatches = 0, kTotals = kMtevalOrder, kReferenceLength = 2 * kMtevalOrder;
constexpr std::size_t kReferenceWords = kReferenceLength + 1;  // of BLEU's row

// Different n-grams have different hashes for all practical purposes: with ten million in a set,
// two collide once in 400,000 sets.
using GramHash = std::uint64_t;

struct Gram {
  GramHash hash;
  GramHash context;  // of the words before the last one; 0: none
  std::uint32_t count;
  std::uint32_t order;  // from 0
};

GramHash extended(GramHash context, std::string_view word) {
  std::uint64_t value = context + checksum64(word);
  value = (value ^ value >> 30) * 0xBF58476D1CE4E5B9;
  value = (value ^ value >> 27) * 0x94D049BB133111EB;
  return value ^ value >> 31;
}

// All n-grams of a sentence with their counts, by their hash.
std::vector<Gram> countGrams(const std::vector<std::string>& words) {
  std::vector<Gram> grams;
  grams.reserve(words.size() * kMtevalOrder);
  for (std::size_t start = 0; start < words.size(); ++start) {
    GramHash context = 0;
    const std::size_t longest = std::min(kMtevalOrder, words.size() - start);
    for (std::size_t n = 0; n < longest; ++n) {
      const GramHash hash = extended(context, words[start + n]);
      grams.push_back({hash, context, 1, static_cast<std::uint32_t>(n)});
      context = hash;
    }
  }
  std::sort(grams.begin(), grams.end(),
            [](const Gram& a, const Gram& b) { return a.hash < b.hash; });
  std::size_t kept = 0;
  for (const Gram& gram : grams) {
    if (kept > 0 && grams[kept - 1].hash == gram.hash) {
      ++grams[kept - 1].count;
    } else {
      grams[kept++] = gram;
    }
  }
  grams.resize(kept);
  return grams;
}

// Counts of each n-gram in a set: a table with open addressing, since a set has millions.
class GramCounts {
 public:
  void add(GramHash hash, std::uint32_t count) {
    if (4 * (used_ + 1) > 3 * slots_.size()) grow();
    Slot& slot = slots_[slotOf(hash)];
    if (slot.count == 0) ++used_;
    slot.hash = hash;
    slot.count += count;
  }
  double of(GramHash hash) const {
    return slots_.empty() ? 0 : static_cast<double>(slots_[slotOf(hash)].count);
  }

 private:
  struct Slot {
    GramHash hash = 0;
    std::uint64_t count = 0;  // 0: free
  };
  std::size_t slotOf(GramHash hash) const {
    std::size_t slot = hash & (slots_.size() - 1);
    while (slots_[slot].count != 0 && slots_[slot].hash != hash) {
      slot = (slot + 1) & (slots_.size() - 1);
    }
    return slot;
  }
  void grow() {
    std::vector<Slot> old(std::max<std::size_t>(1024, 2 * slots_.size()));
    old.swap(slots_);
    for (const Slot& slot : old) {
      if (slot.count != 0) slots_[slotOf(slot.hash)] = slot;
    }
  }

  std::vector<Slot> slots_;  // size a power of two
  std::size_t used_ = 0;
};

std::string signatureOf(const MtevalOptions& options, std::size_t references,
                        const std::string& more) {
  return fmt::format("nrefs:{}|case:{}|tok:{}{}|mteval-v13a", references,
                     options.caseSensitive ? "mixed" : "lc",
                     options.international ? "mteval-intl" : "mteval-v13a", more);
}

// One half for a hypothesis with two thirds of the words (Doddington 2002, section 2.3).
double nistPenalty(double ratio) {
  if (ratio >= 1) return 1;
  if (ratio <= 0) return 0;
  const double log = std::log(ratio) / std::log(1.5);
  return std::exp(std::log(0.5) * log * log);
}

}  // namespace

// The references of both metrics as n-grams, those of NIST with their counts in the full set.
class MtevalReferences {
 public:
  MtevalReferences(const std::vector<std::vector<std::string>>& references,
                   const MtevalOptions& options, bool withCounts)
      : options_(options), references_(references.size()) {
    sentences_.resize(checkReferences(references));
    for (const auto& reference : references) {
      for (std::size_t i = 0; i < reference.size(); ++i) add(reference[i], i, withCounts);
    }
  }

  std::size_t sentences() const { return sentences_.size(); }
  std::size_t references() const { return references_; }

  // Writes the hypothesis's n-grams of each order into the row, adds the matches to it, each with
  // its weight, and returns the number of words of the hypothesis.
  template <typename Weight>
  std::size_t compare(std::size_t sentence, std::string_view hypothesis, std::span<double> row,
                      Weight weight) const {
    const Sentence& reference = sentences_.at(sentence);
    const std::vector<std::string> words = mtevalWords(hypothesis, options_);
    std::fill(row.begin(), row.end(), 0.0);
    for (std::size_t n = 0; n < std::min(kMtevalOrder, words.size()); ++n) {
      row[kTotals + n] = static_cast<double>(words.size() - n);
    }
    auto known = reference.grams.begin();
    for (const Gram& gram : countGrams(words)) {
      while (known != reference.grams.end() && known->hash < gram.hash) ++known;
      if (known == reference.grams.end()) break;
      if (known->hash != gram.hash) continue;
      row[kMatches + gram.order] += std::min(known->count, gram.count) * weight(gram);
    }
    return words.size();
  }

  // In words, one per reference.
  const std::vector<std::size_t>& lengths(std::size_t sentence) const {
    return sentences_.at(sentence).lengths;
  }
  double words(std::size_t sentence) const {
    return std::accumulate(lengths(sentence).begin(), lengths(sentence).end(), 0.0);
  }

  // Information in bits of an n-gram of the references: log2 of the count of its context over its
  // own count. The context of a single word is all words; so is a context that is the word 0, which
  // the script treats as missing.
  double information(const Gram& gram) const {
    static const GramHash zero = extended(0, "0");
    const bool none = gram.order == 0 || gram.context == zero;
    return std::log2((none ? words_ : counts_.of(gram.context)) / counts_.of(gram.hash));
  }

 private:
  struct KnownGram {
    GramHash hash;
    std::uint32_t count;  // the maximum over references
  };
  struct Sentence {
    std::vector<std::size_t> lengths;  // words, one per reference
    std::vector<KnownGram> grams;      // by hash
  };

  void add(std::string_view line, std::size_t sentence, bool withCounts) {
    const std::vector<std::string> words = mtevalWords(line, options_);
    Sentence& to = sentences_[sentence];
    to.lengths.push_back(words.size());
    words_ += static_cast<double>(words.size());
    std::vector<KnownGram> merged;
    const std::vector<Gram> grams = countGrams(words);
    merged.reserve(to.grams.size() + grams.size());
    auto known = to.grams.begin();
    for (const Gram& gram : grams) {
      while (known != to.grams.end() && known->hash < gram.hash) merged.push_back(*known++);
      const bool both = known != to.grams.end() && known->hash == gram.hash;
      merged.push_back({gram.hash, both ? std::max(known++->count, gram.count) : gram.count});
      if (withCounts) counts_.add(gram.hash, gram.count);
    }
    merged.insert(merged.end(), known, to.grams.end());
    to.grams = std::move(merged);
  }

  MtevalOptions options_;
  std::size_t references_;
  std::vector<Sentence> sentences_;
  double words_ = 0;  // of all references
  GramCounts counts_;
};

MtevalMetric::MtevalMetric(const std::vector<std::vector<std::string>>& references,
                           const MtevalOptions& options, bool withCounts)
    : options_(options),
      references_(std::make_shared<MtevalReferences>(references, options, withCounts)) {}

std::size_t MtevalMetric::sentences() const {
  return references_->sentences();
}

std::string MtevalBleuMetric::signature() const {
  return signatureOf(options_, references_->references(),
                     fmt::format("|smooth:{}|bp:{}", options_.smoothing ? "yes" : "no",
                                 options_.shortestReference ? "shortest" : "closest"));
}

void MtevalBleuMetric::compare(std::size_t sentence, std::string_view hypothesis,
                               std::span<double> row) const {
  const std::size_t words =
      references_->compare(sentence, hypothesis, row, [](const Gram&) { return 1.0; });
  const std::vector<std::size_t>& lengths = references_->lengths(sentence);
  row[kReferenceLength] = static_cast<double>(
      options_.shortestReference ? std::ranges::min(lengths) : closestLength(lengths, words));
  row[kReferenceWords] = references_->words(sentence);
}

MtevalDetail MtevalBleuMetric::detail(std::span<const double> sums) const {
  MtevalDetail detail;
  detail.hypothesisLength = sums[kTotals];
  detail.referenceLength = sums[kReferenceLength];
  if (detail.hypothesisLength > 0) {
    detail.penalty = std::exp(std::min(0.0, 1 - detail.referenceLength / detail.hypothesisLength));
  }
  double logs = 0, halving = 1;
  for (std::size_t n = 0; n < kMtevalOrder; ++n) {
    const double matches = sums[kMatches + n], total = sums[kTotals + n];
    if (matches == 0 && !options_.smoothing) break;  // longer ones do not match either: all 0
    double precision = 1;
    if (matches > 0) {
      precision = matches / total;
    } else if (total > 0) {
      halving *= 2;
      precision = 1 / (halving * total);
    }
    logs += std::log(precision);
    detail.individual[n] = precision;
    detail.cumulative[n] = detail.penalty * std::exp(logs / static_cast<double>(n + 1));
  }
  return detail;
}

double MtevalBleuMetric::score(std::span<const double> sums) const {
  if (options_.smoothing && sums[kReferenceLength] == 0) return 0;
  return 100 * detail(sums).cumulative[kBleuOrder - 1];
}

double MtevalBleuMetric::sentenceScore(std::span<const double> row) const {
  // The script accepts a reference length of 0 here as long as another reference has words.
  if (row[kReferenceWords] == 0) return 0;
  return 100 * detail(row).cumulative[kBleuOrder - 1];
}

std::string NistMetric::signature() const {
  return signatureOf(options_, references_->references(), "");
}

void NistMetric::compare(std::size_t sentence, std::string_view hypothesis,
                         std::span<double> row) const {
  references_->compare(sentence, hypothesis, row,
                       [&](const Gram& gram) { return references_->information(gram); });
  row[kReferenceLength] = references_->words(sentence);
}

MtevalDetail NistMetric::detail(std::span<const double> sums) const {
  MtevalDetail detail;
  detail.hypothesisLength = sums[kTotals];
  detail.referenceLength = sums[kReferenceLength] / static_cast<double>(references_->references());
  if (detail.referenceLength == 0) return detail;
  detail.penalty = nistPenalty(detail.hypothesisLength / detail.referenceLength);
  double sum = 0;
  for (std::size_t n = 0; n < kMtevalOrder; ++n) {
    const double mean = sums[kMatches + n] / std::max(sums[kTotals + n], 1.0);
    sum += mean;
    detail.individual[n] = mean * detail.penalty;
    detail.cumulative[n] = sum * detail.penalty;
  }
  return detail;
}

double NistMetric::score(std::span<const double> sums) const {
  return detail(sums).cumulative[kNistOrder - 1];
}

}  // namespace strata
