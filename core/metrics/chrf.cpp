#include "core/metrics/chrf.h"

#include <algorithm>
#include <cassert>

#include "core/base/digest.h"
#include "core/base/error.h"
#include "core/base/utf8.h"
#include "core/metrics/marks.h"
#include "core/metrics/ngram_matches.h"
#include "core/metrics/python_text.h"

namespace strata {
namespace {

// A mark at the end of a word becomes a separate word; only if there is none, a mark at the start.
void addWords(std::string_view word, std::size_t characters, std::vector<std::uint64_t>& words) {
  std::size_t first = 0;  // bytes of the first of two words
  if (characters > 1 && isAsciiMark(word.back())) {
    first = word.size() - 1;
  } else if (characters > 1 && isAsciiMark(word.front())) {
    first = 1;
  }
  if (first > 0) words.push_back(checksum64(word.substr(0, first)));
  words.push_back(checksum64(word.substr(first)));
}

// `text` must be valid UTF-8. Reuses the memory of `line`.
void readLine(std::string_view text, const ChrfOptions& options, ChrfLine& line) {
  thread_local std::string lower;
  if (options.lowercase) {
    pythonLower(text, lower);
    text = lower;
  }
  line.characters.clear();
  line.words.clear();
  std::size_t wordStart = 0, wordLength = 0;  // bytes, characters
  const auto endWord = [&](std::size_t end) {
    if (wordLength > 0 && options.wordOrder > 0)
      addWords(text.substr(wordStart, end - wordStart), wordLength, line.words);
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
    if (options.characterOrder > 0) line.characters.push_back(code);
  }
  endWord(text.size());
}

// Writes the three numbers of each order.
template <typename Symbol>
void count(const std::vector<Symbol>& hypothesis, const std::vector<Symbol>& reference,
           std::size_t order, double* row) {
  thread_local NGramMatches matches;
  thread_local std::vector<std::uint32_t> shared;
  shared.resize(order);
  matches.count(std::span(&reference, 1), std::span<const Symbol>(hypothesis), shared);
  for (std::size_t n = 0; n < order; ++n) {
    const std::size_t inHypothesis = hypothesis.size() - std::min(hypothesis.size(), n);
    const std::size_t inReference = reference.size() - std::min(reference.size(), n);
    row[3 * n] = inReference > 0 ? static_cast<double>(inHypothesis) : 0;
    row[3 * n + 1] = static_cast<double>(inReference);
    row[3 * n + 2] = static_cast<double>(shared[n]);
  }
}

// F-beta = (1 + beta^2) P R / (beta^2 P + R), in per cent. P and R are means over the orders that
// both sides have; with epsilon smoothing it is the mean of F over all orders instead. The order of
// operations is that of the reference tool, so that ties between references resolve identically.
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

const ChrfOptions& checked(const ChrfOptions& options) {
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
  return options;
}

}  // namespace

ChrfMetric::ChrfMetric(const std::vector<std::vector<std::string>>& references,
                       const ChrfOptions& options)
    : options_(checked(options)),
      references_(references, [&](std::size_t i, std::size_t r, ChrfLine& line) {
        if (const auto bad = firstInvalidUtf8(references[r][i]))
          throw Error("byte {} of line {} of reference {} is not UTF-8", *bad, i + 1, r + 1);
        readLine(references[r][i], options, line);
      }) {}

std::string ChrfMetric::name() const {
  const auto wordOrder = static_cast<std::size_t>(options_.wordOrder);
  return fmt::format("chrF{}{}", options_.beta, std::string(wordOrder, '+'));
}

std::string ChrfMetric::signature() const {
  const auto answer = [](bool yes) { return yes ? "yes" : "no"; };
  return fmt::format("nrefs:{}|case:{}|eff:{}|nc:{}|nw:{}|space:{}|version:{}",
                     references_.perSentence(), options_.lowercase ? "lc" : "mixed",
                     answer(!options_.epsilonSmoothing), options_.characterOrder,
                     options_.wordOrder, answer(options_.whitespace), signatureVersion());
}

std::size_t ChrfMetric::width() const {
  return 3 * static_cast<std::size_t>(options_.characterOrder + options_.wordOrder);
}

void ChrfMetric::compare(std::size_t sentence, std::string_view hypothesis,
                         std::span<double> row) const {
  assert(row.size() == width());
  const auto references = references_.of(sentence);
  if (const auto bad = firstInvalidUtf8(hypothesis))
    throw Error("byte {} of line {} of the hypotheses is not UTF-8", *bad, sentence + 1);
  thread_local ChrfLine line;
  thread_local std::vector<double> counted;
  readLine(hypothesis, options_, line);
  counted.resize(width());
  const auto characterOrder = static_cast<std::size_t>(options_.characterOrder);
  double best = -1;
  for (const ChrfLine& reference : references) {
    count(line.characters, reference.characters, characterOrder, counted.data());
    count(line.words, reference.words, static_cast<std::size_t>(options_.wordOrder),
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
