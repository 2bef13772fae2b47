#include "core/metrics/bleu.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "core/base/digest.h"
#include "core/base/error.h"
#include "core/metrics/metric.h"
#include "core/metrics/tokenizers.h"

namespace strata {
namespace {

constexpr std::pair<std::string_view, BleuTokenizer> kTokenizers[] = {
    {"13a", BleuTokenizer::k13a},
    {"intl", BleuTokenizer::kInternational},
    {"char", BleuTokenizer::kCharacter},
    {"zh", BleuTokenizer::kChinese},
    {"none", BleuTokenizer::kNone}};
constexpr std::pair<std::string_view, BleuSmoothing> kSmoothings[] = {
    {"exp", BleuSmoothing::kExponential},
    {"floor", BleuSmoothing::kFloor},
    {"add-k", BleuSmoothing::kAddK},
    {"none", BleuSmoothing::kNone}};

template <typename E, std::size_t N>
E valueNamed(const std::pair<std::string_view, E> (&table)[N], std::string_view name,
             const char* what) {
  std::string names;
  for (const auto& [known, value] : table) {
    if (known == name) return value;
    names += (names.empty() ? "" : ", ") + std::string(known);
  }
  throw usageError("there is no {} '{}'; there are {}", what, name, names);
}

template <typename E, std::size_t N>
std::string_view nameIn(const std::pair<std::string_view, E> (&table)[N], E value) {
  return std::find_if(std::begin(table), std::end(table),
                      [&](const auto& row) { return row.second == value; })
      ->first;
}

// Both tools take this for the logarithm of zero.
double logOrLowest(double value) {
  return value == 0 ? -9999999999.0 : std::log(value);
}

std::uint64_t mixed(std::uint64_t value) {
  value ^= value >> 32;
  value *= 0xD6E8FEB86659FD93;
  value ^= value >> 32;
  value *= 0xD6E8FEB86659FD93;
  return value ^ (value >> 32);
}

bool isAsciiSpace(char c) {
  return c == ' ' || (c >= '\t' && c <= '\r');
}

std::vector<std::string> asciiWords(std::string_view line, bool lowercase) {
  std::vector<std::string> words;
  for (std::size_t i = 0; i < line.size();) {
    while (i < line.size() && isAsciiSpace(line[i])) ++i;
    const std::size_t start = i;
    while (i < line.size() && !isAsciiSpace(line[i])) ++i;
    if (i > start) words.emplace_back(line.substr(start, i - start));
  }
  if (lowercase) {
    for (std::string& word : words) {
      for (char& c : word) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
    }
  }
  return words;
}

std::int64_t closestLength(const std::vector<std::int64_t>& lengths, std::int64_t to) {
  std::int64_t best = lengths.front();
  for (const std::int64_t length : lengths) {
    const std::int64_t gap = std::abs(length - to), least = std::abs(best - to);
    if (gap < least || (gap == least && length < best)) best = length;
  }
  return best;
}

double smoothValueOf(const BleuOptions& options) {
  return options.smoothValue.value_or(options.smoothing == BleuSmoothing::kFloor ? 0.1 : 1.0);
}

}  // namespace

BleuStats& BleuStats::operator+=(const BleuStats& other) {
  hypothesisLength += other.hypothesisLength;
  referenceLength += other.referenceLength;
  for (std::size_t n = 0; n < correct.size(); ++n) {
    correct[n] += other.correct[n];
    total[n] += other.total[n];
  }
  return *this;
}

BleuStats sum(std::span<const BleuStats> sentences) {
  BleuStats all;
  for (const BleuStats& sentence : sentences) all += sentence;
  return all;
}

BleuScore bleu(const BleuStats& stats, const BleuOptions& options) {
  const auto order = static_cast<std::size_t>(options.order);
  BleuScore result;
  result.precisions.assign(order, 0.0);
  result.counts.assign(stats.correct.begin(), stats.correct.begin() + options.order);
  result.totals.assign(stats.total.begin(), stats.total.begin() + options.order);
  result.systemLength = stats.hypothesisLength;
  result.referenceLength = stats.referenceLength;
  if (stats.hypothesisLength < stats.referenceLength) {
    const double ratio = stats.hypothesisLength > 0
                             ? static_cast<double>(stats.referenceLength) /
                                   static_cast<double>(stats.hypothesisLength)
                             : 0;
    result.brevityPenalty = stats.hypothesisLength > 0 ? std::exp(1 - ratio) : 0;
  }
  if (std::all_of(result.counts.begin(), result.counts.end(),
                  [](double count) { return count == 0; }))
    return result;

  double halving = 1;
  std::size_t effective = order;
  for (std::size_t n = 0; n < order; ++n) {
    if (options.smoothing == BleuSmoothing::kAddK && n > 0) {
      result.counts[n] += smoothValueOf(options);
      result.totals[n] += smoothValueOf(options);
    }
    if (result.totals[n] == 0) break;
    if (options.effectiveOrder) effective = n + 1;
    if (result.counts[n] > 0) {
      result.precisions[n] = 100 * result.counts[n] / result.totals[n];
    } else if (options.smoothing == BleuSmoothing::kExponential) {
      halving *= 2;
      result.precisions[n] = 100 / (halving * result.totals[n]);
    } else if (options.smoothing == BleuSmoothing::kFloor) {
      result.precisions[n] = 100 * smoothValueOf(options) / result.totals[n];
    }
  }
  double logs = 0;
  for (std::size_t n = 0; n < effective; ++n) logs += logOrLowest(result.precisions[n]);
  result.score = result.brevityPenalty * std::exp(logs / static_cast<double>(effective));
  return result;
}

BleuScore multiBleu(const BleuStats& stats) {
  constexpr std::size_t kOrder = 4;
  BleuScore result;
  result.precisions.assign(kOrder, 0.0);
  result.counts.assign(stats.correct.begin(), stats.correct.begin() + kOrder);
  result.totals.assign(stats.total.begin(), stats.total.begin() + kOrder);
  result.systemLength = stats.hypothesisLength;
  result.referenceLength = stats.referenceLength;
  if (stats.referenceLength == 0) {  // multi-bleu.perl's own line for it
    result.brevityPenalty = 0;
    result.systemLength = 0;
    return result;
  }
  if (stats.hypothesisLength == 0)
    throw Error("multi-bleu is not defined: no hypothesis holds a word");
  double logs = 0;
  for (std::size_t n = 0; n < kOrder; ++n) {
    const double share = result.totals[n] > 0 ? result.counts[n] / result.totals[n] : 0;
    result.precisions[n] = 100 * share;
    logs += logOrLowest(share);
  }
  if (stats.hypothesisLength < stats.referenceLength) {
    result.brevityPenalty = std::exp(1 - static_cast<double>(stats.referenceLength) /
                                             static_cast<double>(stats.hypothesisLength));
  }
  result.score = 100 * result.brevityPenalty * std::exp(logs / static_cast<double>(kOrder));
  return result;
}

std::string multiBleuLine(const BleuScore& score) {
  if (score.referenceLength == 0) return "BLEU = 0, 0/0/0/0 (BP=0, ratio=0, hyp_len=0, ref_len=0)";
  return fmt::format(
      "BLEU = {:.2f}, {:.1f}/{:.1f}/{:.1f}/{:.1f} (BP={:.3f}, ratio={:.3f}, hyp_len={}, "
      "ref_len={})",
      score.score, score.precisions[0], score.precisions[1], score.precisions[2],
      score.precisions[3], score.brevityPenalty,
      static_cast<double>(score.systemLength) / static_cast<double>(score.referenceLength),
      score.systemLength, score.referenceLength);
}

BleuReferences::BleuReferences(const std::vector<std::vector<std::string>>& references,
                               const BleuOptions& options)
    : order_(options.order), bleu_(options), lowercase_(options.lowercase) {
  if (options.order < 1 || options.order > kMaxBleuOrder) {
    throw usageError("the order of BLEU must be from 1 to {}, not {}", kMaxBleuOrder,
                     options.order);
  }
  prepare(references);
}

BleuReferences::BleuReferences(const std::vector<std::vector<std::string>>& references,
                               const MultiBleuOptions& options)
    : lowercase_(options.lowercase) {
  prepare(references);
}

void BleuReferences::prepare(const std::vector<std::vector<std::string>>& references) {
  sentences_.resize(checkReferences(references));
  references_ = references.size();
  for (std::size_t i = 0; i < sentences_.size(); ++i) {
    Sentence& sentence = sentences_[i];
    for (const auto& reference : references) {
      const std::vector<std::string> line = words(reference[i]);
      sentence.lengths.push_back(static_cast<std::int64_t>(line.size()));
      const std::vector<NGram> counted = countNGrams(line);
      std::vector<NGram> both;
      both.reserve(sentence.ngrams.size() + counted.size());
      std::merge(sentence.ngrams.begin(), sentence.ngrams.end(), counted.begin(), counted.end(),
                 std::back_inserter(both),
                 [](const NGram& a, const NGram& b) { return a.hash < b.hash; });
      sentence.ngrams.clear();
      for (const NGram& ngram : both) {
        if (!sentence.ngrams.empty() && sentence.ngrams.back().hash == ngram.hash) {
          sentence.ngrams.back().count = std::max(sentence.ngrams.back().count, ngram.count);
        } else {
          sentence.ngrams.push_back(ngram);
        }
      }
    }
  }
}

std::vector<std::string> BleuReferences::words(std::string_view line) const {
  return bleu_ ? bleuWords(line, bleu_->tokenizer, lowercase_) : asciiWords(line, lowercase_);
}

// All n-grams with their counts, sorted by hash.
std::vector<BleuReferences::NGram> BleuReferences::countNGrams(
    const std::vector<std::string>& words) const {
  std::vector<std::uint64_t> hashes;
  hashes.reserve(words.size());
  for (const std::string& word : words) hashes.push_back(checksum64(word));
  std::vector<NGram> all;
  all.reserve(words.size() * static_cast<std::size_t>(order_));
  for (std::size_t start = 0; start < words.size(); ++start) {
    std::uint64_t hash = 0;
    for (std::size_t n = 0; n < static_cast<std::size_t>(order_) && start + n < words.size(); ++n) {
      hash = mixed(hash * 0x9E3779B97F4A7C15 + hashes[start + n] + 1);
      all.push_back({mixed(hash + n), 1, static_cast<std::uint32_t>(n)});
    }
  }
  std::sort(all.begin(), all.end(), [](const NGram& a, const NGram& b) { return a.hash < b.hash; });
  std::size_t kept = 0;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (kept > 0 && all[kept - 1].hash == all[i].hash) {
      ++all[kept - 1].count;
    } else {
      all[kept++] = all[i];
    }
  }
  all.resize(kept);
  return all;
}

BleuStats BleuReferences::compare(std::size_t sentence, std::string_view hypothesis) const {
  const Sentence& reference = sentences_.at(sentence);
  const std::vector<std::string> line = words(hypothesis);
  BleuStats stats;
  stats.hypothesisLength = static_cast<std::int64_t>(line.size());
  stats.referenceLength = closestLength(reference.lengths, stats.hypothesisLength);
  for (std::int64_t n = 0; n < order_; ++n) {
    stats.total[static_cast<std::size_t>(n)] =
        std::max<std::int64_t>(0, stats.hypothesisLength - n);
  }
  auto known = reference.ngrams.begin();
  for (const NGram& ngram : countNGrams(line)) {
    while (known != reference.ngrams.end() && known->hash < ngram.hash) ++known;
    if (known == reference.ngrams.end()) break;
    if (known->hash == ngram.hash)
      stats.correct[ngram.order] += std::min(known->count, ngram.count);
  }
  return stats;
}

std::vector<BleuStats> BleuReferences::compare(std::span<const std::string> hypotheses) const {
  checkSameLines(hypotheses.size(), sentences_.size());
  std::vector<BleuStats> stats;
  stats.reserve(hypotheses.size());
  for (std::size_t i = 0; i < hypotheses.size(); ++i) stats.push_back(compare(i, hypotheses[i]));
  return stats;
}

std::string bleuSignature(const BleuOptions& options, std::size_t references) {
  std::string smoothing(nameOf(options.smoothing));
  const bool valued =
      options.smoothing == BleuSmoothing::kFloor || options.smoothing == BleuSmoothing::kAddK;
  if (valued) smoothing += fmt::format("[{:.2f}]", smoothValueOf(options));
  return fmt::format("nrefs:{}|case:{}|eff:{}|tok:{}|smooth:{}|version:2.6.0", references,
                     options.lowercase ? "lc" : "mixed", options.effectiveOrder ? "yes" : "no",
                     nameOf(options.tokenizer), smoothing);
}

BleuScore corpusBleu(std::span<const std::string> hypotheses,
                     const std::vector<std::vector<std::string>>& references,
                     const BleuOptions& options) {
  return bleu(sum(BleuReferences(references, options).compare(hypotheses)), options);
}

BleuScore corpusMultiBleu(std::span<const std::string> hypotheses,
                          const std::vector<std::vector<std::string>>& references,
                          const MultiBleuOptions& options) {
  return multiBleu(sum(BleuReferences(references, options).compare(hypotheses)));
}

BleuTokenizer bleuTokenizerNamed(std::string_view name) {
  return valueNamed(kTokenizers, name, "tokenizer");
}
BleuSmoothing bleuSmoothingNamed(std::string_view name) {
  return valueNamed(kSmoothings, name, "smoothing");
}
std::string_view nameOf(BleuTokenizer tokenizer) {
  return nameIn(kTokenizers, tokenizer);
}
std::string_view nameOf(BleuSmoothing smoothing) {
  return nameIn(kSmoothings, smoothing);
}

}  // namespace strata
