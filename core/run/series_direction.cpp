#include "core/run/series_direction.h"

#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace strata {
namespace {

using WordList = std::span<const std::string_view>;

constexpr std::string_view kHigherNames[] = {
    "bleu",      "gleu",     "nist",       "ribes",     "sari",     "yisi",         "acc",
    "fscore",    "fmeasure", "fbeta",      "precision", "recall",   "auc",          "auroc",
    "auprc",     "mrr",      "ndcg",       "pearson",   "spearman", "kendall",      "correlation",
    "corr",      "mcc",      "iou",        "dice",      "jaccard",  "hits",         "exactmatch",
    "winrate",   "reward",   "likelihood", "loglik",    "psnr",     "ssim",         "moverscore",
    "spearmanr", "pearsonr", "kendalltau", "bartscore", "logprob",  "loglikelihood"};
constexpr std::string_view kLowerNames[] = {
    "loss",     "losses", "nll", "ppl", "error", "errors", "err", "ce",  "xent",
    "xentropy", "cost",   "mse", "mae", "rmse",  "mape",   "wer", "cer", "ter",
    "hter",     "aer",    "eer", "fid", "bpc",   "bpb",    "bpw", "bpd", "metricx"};
// Found in longer words, too: "sacrebleu", "wmt22cometkiwi", "chrfpp".
constexpr std::string_view kHigherParts[] = {"bleu",   "comet",    "chrf",     "rouge",
                                             "meteor", "accuracy", "bertscore"};
constexpr std::string_view kLowerParts[] = {"perplexity", "crossentropy", "errorrate"};
// A figure that belongs to a measure: "loss_scale", "bleu_length".
constexpr std::string_view kFigures[] = {
    "scale", "time",   "seconds", "ms", "weight",    "std",  "stddev",   "var",    "len",
    "count", "length", "ratio",   "bp", "threshold", "grad", "variance", "penalty"};
constexpr std::string_view kSets[] = {"training", "validation", "train", "valid",
                                      "val",      "dev",        "eval",  "test"};

bool isOneOf(std::string_view word, WordList names) {
  return std::ranges::find(names, word) != names.end();
}

bool hasPart(std::string_view word, WordList parts) {
  return std::ranges::any_of(
      parts, [&](std::string_view part) { return word.find(part) != std::string_view::npos; });
}

// "r2" is the coefficient of determination.
bool isFScore(std::string_view word) {
  return word == "f2" || word == "f05" || word == "r2" || word.ends_with("f1");  // "macrof1"
}

// None: the word names no measure and no figure of one.
std::optional<SeriesDirection> measureOf(std::string_view word) {
  if (isFScore(word)) return SeriesDirection::kHigher;
  word = word.substr(0, word.find_last_not_of("0123456789") + 1);  // "bleu4"
  if (isOneOf(word, kFigures)) return SeriesDirection::kUnknown;
  if (isOneOf(word, kLowerNames) || hasPart(word, kLowerParts)) return SeriesDirection::kLower;
  if (isOneOf(word, kHigherNames) || hasPart(word, kHigherParts)) return SeriesDirection::kHigher;
  return {};
}

std::optional<SeriesDirection> directionOfWord(std::string_view word) {
  if (const auto known = measureOf(word)) return known;
  for (const std::string_view set : kSets) {  // "valloss"
    if (word.starts_with(set) && word.size() > set.size())
      return measureOf(word.substr(set.size()));
  }
  return {};
}

enum class CharKind { kLowerCase, kUpperCase, kDigit, kOther };

CharKind kindOf(char c) {
  if (c >= 'a' && c <= 'z') return CharKind::kLowerCase;
  if (c >= 'A' && c <= 'Z') return CharKind::kUpperCase;
  return c >= '0' && c <= '9' ? CharKind::kDigit : CharKind::kOther;
}

// The words of a part of a name, in lower case: "valLoss" and "val-loss" have two, "chrF" has one.
std::vector<std::string> wordsOf(std::string_view part) {
  std::vector<std::string> words;
  bool inside = false;
  for (std::size_t i = 0; i < part.size(); ++i) {
    const CharKind kind = kindOf(part[i]);
    const bool begins = kind == CharKind::kUpperCase && i + 1 < part.size() &&
                        kindOf(part[i + 1]) == CharKind::kLowerCase;
    if (kind != CharKind::kOther) {
      if (!inside || begins) words.emplace_back();
      words.back() +=
          kind == CharKind::kUpperCase ? static_cast<char>(part[i] - 'A' + 'a') : part[i];
    }
    inside = kind != CharKind::kOther;
  }
  return words;
}

SeriesDirection opposite(SeriesDirection direction) {
  if (direction == SeriesDirection::kUnknown) return direction;
  return direction == SeriesDirection::kLower ? SeriesDirection::kHigher : SeriesDirection::kLower;
}

// A measure that two words name: "cross_entropy", "f-score".
std::optional<SeriesDirection> directionOfPair(const std::string& pair) {
  if (isOneOf(pair, kLowerNames) || isOneOf(pair, kLowerParts)) return SeriesDirection::kLower;
  if (isOneOf(pair, kHigherNames) || isOneOf(pair, kHigherParts)) return SeriesDirection::kHigher;
  return {};
}

std::optional<SeriesDirection> directionOfPart(std::string_view part) {
  const std::vector<std::string> words = wordsOf(part);
  for (std::size_t last = words.size(); last-- > 0;) {
    std::size_t first = last;
    std::optional<SeriesDirection> found;
    if (last > 0) found = directionOfPair(words[last - 1] + words[last]);
    if (found)
      first = last - 1;
    else
      found = directionOfWord(words[last]);
    if (!found) continue;
    const bool negative =
        first > 0 && (words[first - 1] == "neg" || words[first - 1] == "negative");
    return negative ? opposite(*found) : *found;
  }
  return {};
}

}  // namespace

SeriesDirection directionOf(std::string_view series) {
  for (;;) {
    const std::size_t slash = series.rfind('/');
    const std::string_view last =
        slash == std::string_view::npos ? series : series.substr(slash + 1);
    if (const auto found = directionOfPart(last)) return *found;
    if (slash == std::string_view::npos) return SeriesDirection::kUnknown;
    series = series.substr(0, slash);
  }
}

SeriesDirection agreed(SeriesDirection one, SeriesDirection other) {
  if (one == SeriesDirection::kUnknown || one == other) return other;
  return other == SeriesDirection::kUnknown ? one : SeriesDirection::kUnknown;
}

}  // namespace strata
