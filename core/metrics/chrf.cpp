#include "core/metrics/chrf.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cstdint>

#include "core/base/digest.h"
#include "core/base/error.h"
#include "core/metrics/python_text.h"
#include "core/text/utf8.h"

namespace strata {
namespace {

// n-grams of all orders are counted from one sorted list: starts that share their first n symbols
// are neighbours in it. Symbols are compared several at a time, packed into one number.
constexpr unsigned kCharacterBits = 21;        // U+10FFFF and below
constexpr std::size_t kCharactersAWindow = 3;  // 63 bits
// A 64-bit hash, so that two different words of a sentence pair practically never meet.
constexpr std::size_t kWordsAWindow = 1;

struct Sequence {
  // From every start on, the next kStep symbols, the first one uppermost. Zeros behind the end, so
  // that a comparison needs no bounds; as n-grams never reach there, zero may be a symbol as well.
  std::vector<std::uint64_t> windows;
  std::vector<std::uint32_t> starts;  // sorted by the symbols that follow, as far as the order

  std::size_t size() const { return starts.size(); }
};

struct Start {
  std::uint64_t window;
  std::uint32_t position;
};

}  // namespace

struct ChrfLine {
  Sequence characters, words;
};

namespace {

bool isAsciiPunctuation(char c) {
  return (c >= '!' && c <= '/') || (c >= ':' && c <= '@') || (c >= '[' && c <= '`') ||
         (c >= '{' && c <= '~');
}

// A mark at a word's end is a word of its own; only without one, a mark at its start.
void addWords(std::string_view word, std::size_t characters, std::vector<std::uint64_t>& words) {
  if (characters > 1 && isAsciiPunctuation(word.back())) {
    words.push_back(checksum64(word.substr(0, word.size() - 1)));
    words.push_back(checksum64(word.substr(word.size() - 1)));
  } else if (characters > 1 && isAsciiPunctuation(word.front())) {
    words.push_back(checksum64(word.substr(0, 1)));
    words.push_back(checksum64(word.substr(1)));
  } else {
    words.push_back(checksum64(word));
  }
}

// Takes symbols that stand one in a window, packs them and sorts the starts.
template <std::size_t kStep>
void packAndSort(Sequence& sequence, std::size_t order) {
  thread_local std::vector<Start> sorted;
  std::vector<std::uint64_t>& windows = sequence.windows;
  const std::size_t length = windows.size();
  windows.resize(length + order + kStep);
  sorted.clear();
  for (std::size_t i = 0; i < length; ++i) {
    if constexpr (kStep == kCharactersAWindow) {
      windows[i] =
          windows[i] << 2 * kCharacterBits | windows[i + 1] << kCharacterBits | windows[i + 2];
    }
    sorted.push_back({windows[i], static_cast<std::uint32_t>(i)});
  }
  std::sort(sorted.begin(), sorted.end(), [&](const Start& a, const Start& b) {
    if (a.window != b.window) return a.window < b.window;
    for (std::size_t k = kStep; k < order; k += kStep) {
      const std::uint64_t left = windows[a.position + k], right = windows[b.position + k];
      if (left != right) return left < right;
    }
    return false;
  });
  sequence.starts.clear();
  for (const Start& start : sorted) sequence.starts.push_back(start.position);
}

// `text` must be valid UTF-8. Reuses the memory of `line`.
void readLine(std::string_view text, const ChrfOptions& options, ChrfLine& line) {
  thread_local std::string lower;
  if (options.lowercase) {
    pythonLower(text, lower);
    text = lower;
  }
  std::vector<std::uint64_t>& characters = line.characters.windows;
  std::vector<std::uint64_t>& words = line.words.windows;
  characters.clear();
  words.clear();
  std::size_t wordStart = 0, wordLength = 0;  // bytes, characters
  const auto endWord = [&](std::size_t end) {
    if (wordLength > 0 && options.wordOrder > 0)
      addWords(text.substr(wordStart, end - wordStart), wordLength, words);
    wordLength = 0;
  };
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t start = i;
    const char32_t code = decodeUtf8(text, i);
    if (isPythonSpace(code)) {
      endWord(start);
      if (!options.whitespace) continue;
    } else if (wordLength++ == 0) {
      wordStart = start;
    }
    characters.push_back(code);
  }
  endWord(text.size());
  if (options.characterOrder == 0) characters.clear();
  packAndSort<kCharactersAWindow>(line.characters,
                                  static_cast<std::size_t>(options.characterOrder));
  packAndSort<kWordsAWindow>(line.words, static_cast<std::size_t>(options.wordOrder));
}

// How many symbols two starts have in common; from `order` on the number does not matter.
template <std::size_t kStep>
std::size_t shared(const std::uint64_t* a, const std::uint64_t* b, std::size_t order) {
  for (std::size_t k = 0; k < order; k += kStep) {
    const std::uint64_t difference = a[k] ^ b[k];
    if (difference == 0) continue;
    if constexpr (kStep == 1) return k;
    const auto zeros = static_cast<std::size_t>(std::countl_zero(difference));
    return k + (zeros - 1) / kCharacterBits;  // the uppermost bit belongs to no character
  }
  return order;
}

template <std::size_t kStep>
bool before(const std::uint64_t* a, const std::uint64_t* b, std::size_t order) {
  for (std::size_t k = 0; k < order; k += kStep) {
    if (a[k] != b[k]) return a[k] < b[k];
  }
  return false;
}

// Writes the three numbers of each order. Both lists of starts are merged; a run of starts that
// share n symbols is one n-gram, found min(hypothesis, reference) times in both.
template <std::size_t kStep>
void count(const Sequence& hypothesis, const Sequence& reference, std::size_t order, double* row) {
  thread_local std::vector<std::uint32_t> ours, theirs;  // of the current run of each order
  thread_local std::vector<std::uint64_t> matches;
  ours.assign(order, 0);
  theirs.assign(order, 0);
  matches.assign(order, 0);
  const auto closeRuns = [&](std::size_t from) {
    for (std::size_t n = from; n < order; ++n) {
      matches[n] += std::min(ours[n], theirs[n]);
      ours[n] = theirs[n] = 0;
    }
  };
  const std::uint64_t* last = nullptr;
  std::size_t h = 0, r = 0;
  while (h < hypothesis.size() || r < reference.size()) {
    const std::uint64_t* const our =
        h < hypothesis.size() ? hypothesis.windows.data() + hypothesis.starts[h] : nullptr;
    const std::uint64_t* const their =
        r < reference.size() ? reference.windows.data() + reference.starts[r] : nullptr;
    const bool oursNext = their == nullptr || (our != nullptr && before<kStep>(our, their, order));
    const std::uint64_t* const next = oursNext ? our : their;
    if (last != nullptr) closeRuns(shared<kStep>(last, next, order));
    last = next;
    const std::size_t left = oursNext ? hypothesis.size() - hypothesis.starts[h++]
                                      : reference.size() - reference.starts[r++];
    std::vector<std::uint32_t>& counts = oursNext ? ours : theirs;
    for (std::size_t n = 0; n < std::min(order, left); ++n) ++counts[n];
  }
  closeRuns(0);
  for (std::size_t n = 0; n < order; ++n) {
    const std::size_t inHypothesis = hypothesis.size() - std::min(hypothesis.size(), n);
    const std::size_t inReference = reference.size() - std::min(reference.size(), n);
    row[3 * n] = inReference > 0 ? static_cast<double>(inHypothesis) : 0;
    row[3 * n + 1] = static_cast<double>(inReference);
    row[3 * n + 2] = static_cast<double>(matches[n]);
  }
}

// F-beta = (1 + beta^2) P R / (beta^2 P + R), in per cent. P and R are means over the orders that
// both sides have; with epsilon smoothing it is the mean of F over all orders instead. The order of
// the operations is that of the reference tool, so that ties between references fall alike.
double fScore(std::span<const double> row, const ChrfOptions& options) {
  constexpr double kEpsilon = 1e-16;
  const double weight = options.beta * options.beta;
  double precisions = 0, recalls = 0, scores = 0;
  std::size_t orders = 0;
  for (std::size_t i = 0; i + 2 < row.size(); i += 3) {
    const double inHypothesis = row[i], inReference = row[i + 1], inBoth = row[i + 2];
    const double precision = inHypothesis > 0 ? inBoth / inHypothesis : kEpsilon;
    const double recall = inReference > 0 ? inBoth / inReference : kEpsilon;
    const double both = weight * precision + recall;
    scores += both > 0 ? (1 + weight) * precision * recall / both : kEpsilon;
    if (inHypothesis > 0 && inReference > 0) {
      precisions += precision;
      recalls += recall;
      ++orders;
    }
  }
  if (options.epsilonSmoothing) return 100 * scores / static_cast<double>(row.size() / 3);
  if (orders == 0) return 0;
  precisions /= static_cast<double>(orders);
  recalls /= static_cast<double>(orders);
  if (precisions + recalls == 0) return 0;
  return 100 * ((1 + weight) * precisions * recalls / (weight * precisions + recalls));
}

void check(const ChrfOptions& options) {
  const auto checkOrder = [](int order, const char* what) {
    if (order < 0 || order > kMaxChrfOrder) {
      throw usageError("the {} order of chrF must be from 0 to {}, not {}", what, kMaxChrfOrder,
                       order);
    }
  };
  checkOrder(options.characterOrder, "character");
  checkOrder(options.wordOrder, "word");
  if (options.characterOrder == 0 && options.wordOrder == 0)
    throw usageError("the character order and the word order of chrF must not both be 0");
  if (!(options.beta >= 0 && options.beta <= kMaxChrfBeta)) {
    throw usageError("the beta of chrF must be from 0 to {}, not {}", kMaxChrfBeta, options.beta);
  }
}

}  // namespace

std::string chrfSignature(const ChrfOptions& options, std::size_t references) {
  return fmt::format("nrefs:{}|case:{}|eff:{}|nc:{}|nw:{}|space:{}|version:2.6.0", references,
                     options.lowercase ? "lc" : "mixed", options.epsilonSmoothing ? "no" : "yes",
                     options.characterOrder, options.wordOrder, options.whitespace ? "yes" : "no");
}

ChrfMetric::ChrfMetric(const std::vector<std::vector<std::string>>& references,
                       const ChrfOptions& options)
    : options_(options), references_(references.size()) {
  check(options);
  sentences_ = checkReferences(references);
  lines_.reserve(sentences_ * references_);
  ChrfLine line;  // larger than needed after a while: what is kept is a copy
  for (std::size_t i = 0; i < sentences_; ++i) {
    for (std::size_t r = 0; r < references_; ++r) {
      if (const auto bad = firstInvalidUtf8(references[r][i])) {
        throw Error("byte {} of line {} of reference {} is not UTF-8", *bad, i + 1, r + 1);
      }
      readLine(references[r][i], options_, line);
      lines_.push_back(line);
    }
  }
}

ChrfMetric::~ChrfMetric() = default;

std::string ChrfMetric::name() const {
  const auto wordOrder = static_cast<std::size_t>(options_.wordOrder);
  return fmt::format("chrF{}{}", options_.beta, std::string(wordOrder, '+'));
}

std::string ChrfMetric::signature() const {
  return chrfSignature(options_, references_);
}

std::size_t ChrfMetric::width() const {
  return 3 * static_cast<std::size_t>(options_.characterOrder + options_.wordOrder);
}

void ChrfMetric::compare(std::size_t sentence, std::string_view hypothesis,
                         std::span<double> row) const {
  assert(row.size() == width());
  if (sentence >= sentences_)
    throw Error("there is no sentence {}: the references have {}", sentence + 1, sentences_);
  if (const auto bad = firstInvalidUtf8(hypothesis))
    throw Error("byte {} of line {} of the hypotheses is not UTF-8", *bad, sentence + 1);
  thread_local ChrfLine line;
  thread_local std::vector<double> counted;
  readLine(hypothesis, options_, line);
  counted.resize(width());
  const auto characterOrder = static_cast<std::size_t>(options_.characterOrder);
  double best = -1;
  for (std::size_t r = 0; r < references_; ++r) {
    const ChrfLine& reference = lines_[sentence * references_ + r];
    count<kCharactersAWindow>(line.characters, reference.characters, characterOrder,
                              counted.data());
    count<kWordsAWindow>(line.words, reference.words, static_cast<std::size_t>(options_.wordOrder),
                         counted.data() + 3 * characterOrder);
    if (const double score = fScore(counted, options_); score > best) {
      best = score;
      std::copy(counted.begin(), counted.end(), row.begin());
    }
  }
}

double ChrfMetric::score(std::span<const double> sums) const {
  return fScore(sums, options_);
}

}  // namespace strata
