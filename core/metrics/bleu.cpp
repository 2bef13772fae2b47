#include "core/metrics/bleu.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <ranges>

#include "core/base/digest.h"
#include "core/base/error.h"
#include "core/base/threads.h"
#include "core/metrics/marks.h"
#include "core/metrics/metric.h"
#include "core/metrics/ngram_matches.h"
#include "core/metrics/tokenizers.h"

namespace strata {
namespace {

constexpr std::size_t kMultiBleuOrder = 4;

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
  for (const auto& [known, value] : table) {
    if (known == name) return value;
  }
  throw usageError("unknown {} '{}'; expected one of {}", what, name,
                   fmt::join(table | std::views::keys, ", "));
}

template <typename E, std::size_t N>
std::string_view nameIn(const std::pair<std::string_view, E> (&table)[N], E value) {
  return std::ranges::find(table, value, &std::pair<std::string_view, E>::second)->first;
}

// Both tools use this as the logarithm of zero.
double logOrLowest(double value) {
  return value == 0 ? -9999999999.0 : std::log(value);
}

bool isAsciiSpace(char c) {
  return c == ' ' || (c >= '\t' && c <= '\r');
}

std::string withSplitHyphens(std::string_view line) {
  std::string out;
  for (std::size_t i = 0; i < line.size();) {
    if (i + 2 < line.size() && !isAsciiSpace(line[i]) && line[i + 1] == '-' &&
        !isAsciiSpace(line[i + 2])) {
      out.append(1, line[i]).append(" ##AT##-##AT## ").append(1, line[i + 2]);
      i += 3;
    } else {
      out += line[i++];
    }
  }
  return out;
}

void splitAsciiWords(std::string_view line, const MultiBleuOptions& options, LineWords& out) {
  if (options.splitHyphens) {
    out.rewritten = withSplitHyphens(line);
    line = out.rewritten;
  }
  if (options.lowercase) {
    out.lower = line;
    lowercaseAscii(out.lower);
    line = out.lower;
  }
  out.words.clear();
  for (std::size_t i = 0; i < line.size();) {
    while (i < line.size() && isAsciiSpace(line[i])) ++i;
    const std::size_t start = i;
    while (i < line.size() && !isAsciiSpace(line[i])) ++i;
    if (i > start) out.words.push_back(line.substr(start, i - start));
  }
}

std::size_t checkedOrder(const BleuOptions& options) {
  if (options.order >= 1 && options.order <= kMaxBleuOrder)
    return static_cast<std::size_t>(options.order);
  throw usageError("the order of BLEU must be from 1 to {}, not {}", kMaxBleuOrder, options.order);
}

double smoothValueOf(const BleuOptions& options) {
  return options.smoothValue.value_or(options.smoothing == BleuSmoothing::kFloor ? 0.1 : 1.0);
}

// The counts of the first orders, the lengths and their penalty; without precisions and score.
BleuScore unscored(const BleuStats& stats, std::size_t order) {
  BleuScore result;
  result.precisions.assign(order, 0.0);
  result.counts.assign(stats.correct.begin(), stats.correct.begin() + order);
  result.totals.assign(stats.total.begin(), stats.total.begin() + order);
  result.systemLength = stats.hypothesisLength;
  result.referenceLength = stats.referenceLength;
  if (stats.hypothesisLength < stats.referenceLength) {
    result.brevityPenalty = stats.hypothesisLength > 0
                                ? std::exp(1 - static_cast<double>(stats.referenceLength) /
                                                   static_cast<double>(stats.hypothesisLength))
                                : 0;
  }
  return result;
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
  BleuScore result = unscored(stats, order);
  if (std::ranges::count(result.counts, 0.0) == options.order) return result;

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
  BleuScore result = unscored(stats, kMultiBleuOrder);
  if (stats.referenceLength == 0) {  // multi-bleu.perl's special line for this case
    result.brevityPenalty = 0;
    result.systemLength = 0;
    return result;
  }
  if (stats.hypothesisLength == 0)
    throw Error("multi-bleu is not defined: no hypothesis has a word");
  double logs = 0;
  for (std::size_t n = 0; n < kMultiBleuOrder; ++n) {
    const double share = result.totals[n] > 0 ? result.counts[n] / result.totals[n] : 0;
    result.precisions[n] = 100 * share;
    logs += logOrLowest(share);
  }
  result.score =
      100 * result.brevityPenalty * std::exp(logs / static_cast<double>(kMultiBleuOrder));
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
    : order_(checkedOrder(options)),
      split_([options](std::string_view line, LineWords& words) {
        splitBleuWords(line, options.tokenizer, options.lowercase, words);
      }),
      references_(prepared(references)) {}

BleuReferences::BleuReferences(const std::vector<std::vector<std::string>>& references,
                               const MultiBleuOptions& options)
    : order_(kMultiBleuOrder),
      split_([options](std::string_view line, LineWords& words) {
        splitAsciiWords(line, options, words);
      }),
      references_(prepared(references)) {}

PreparedReferences<BleuReferences::WordHashes> BleuReferences::prepared(
    const std::vector<std::vector<std::string>>& references) const {
  return {references, [&](std::size_t i, std::size_t r, WordHashes& words) {
            hashWords(references[r][i], words);
          }};
}

void BleuReferences::hashWords(std::string_view line, WordHashes& words) const {
  thread_local LineWords split;
  split_(line, split);
  words.clear();
  words.reserve(split.words.size());
  for (const std::string_view word : split.words) words.push_back(checksum64(word));
}

BleuStats BleuReferences::compare(std::size_t sentence, std::string_view hypothesis) const {
  const auto lines = references_.of(sentence);
  thread_local WordHashes words;
  thread_local NGramMatches matches;
  hashWords(hypothesis, words);
  std::array<std::uint32_t, kMaxBleuOrder> shared{};
  matches.count(lines, std::span<const std::uint64_t>(words), std::span(shared).first(order_));
  BleuStats stats;
  stats.hypothesisLength = static_cast<std::int64_t>(words.size());
  stats.referenceLength = static_cast<std::int64_t>(
      closestLength(lines | std::views::transform(std::ranges::size), words.size()));
  for (std::size_t n = 0; n < order_; ++n) {
    stats.correct[n] = shared[n];
    stats.total[n] =
        std::max<std::int64_t>(0, stats.hypothesisLength - static_cast<std::int64_t>(n));
  }
  return stats;
}

std::vector<BleuStats> BleuReferences::compare(std::span<const std::string> hypotheses) const {
  checkSameLines(hypotheses.size(), sentences());
  std::vector<BleuStats> stats(hypotheses.size());
  inParts(hypotheses.size(), kSentencesAThread, 0, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) stats[i] = compare(i, hypotheses[i]);
  });
  return stats;
}

std::string bleuSignature(const BleuOptions& options, std::size_t references) {
  std::string smoothing(nameOf(options.smoothing));
  const bool valued =
      options.smoothing == BleuSmoothing::kFloor || options.smoothing == BleuSmoothing::kAddK;
  if (valued) smoothing += fmt::format("[{:.2f}]", smoothValueOf(options));
  return fmt::format("nrefs:{}|case:{}|eff:{}|tok:{}|smooth:{}|version:{}", references,
                     options.lowercase ? "lc" : "mixed", options.effectiveOrder ? "yes" : "no",
                     nameOf(options.tokenizer), smoothing, signatureVersion());
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
