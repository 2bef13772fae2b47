#include "core/compare/comparison_filter.h"

#include <fmt/format.h>
#include <unicode/regex.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <memory>
#include <numeric>

#include "core/base/error.h"
#include "core/base/threads.h"
#include "core/compare/comparison_parts.h"

namespace strata {
namespace {

using Clock = std::chrono::steady_clock;

// Limits for one line, in ICU steps of about a millisecond, and for all lines: a pattern that needs
// more backtracks exponentially, or takes longer than a user would wait.
constexpr std::int32_t kMostOfLine = 1000;
constexpr std::chrono::seconds kMostOfAll{20};

icu::UnicodeString utf16(std::string_view text) {
  return icu::UnicodeString::fromUTF8({text.data(), static_cast<std::int32_t>(text.size())});
}

// A compiled pattern; any number of threads may search with it.
class Pattern {
 public:
  explicit Pattern(const SentenceFilter& filter) : text_(filter.pattern) {
    UErrorCode status = U_ZERO_ERROR;
    UParseError fault{};
    const std::uint32_t flags = filter.caseSensitive ? 0 : UREGEX_CASE_INSENSITIVE;
    pattern_.reset(icu::RegexPattern::compile(utf16(text_), flags, fault, status));
    if (U_SUCCESS(status)) return;
    // From 1 within the line; ICU gives no position for some mistakes.
    const std::string where =
        fault.offset > 0 ? fmt::format(" at character {} of line {}", fault.offset, fault.line)
                         : "";
    throw usageError("'{}' is not a regular expression: {}{}", text_, u_errorName(status), where);
  }

  // For one thread.
  class Search {
   public:
    explicit Search(const Pattern& pattern, Clock::time_point start)
        : pattern_(pattern), start_(start) {
      UErrorCode status = U_ZERO_ERROR;
      matcher_.reset(pattern.pattern_->matcher(status));
      if (U_SUCCESS(status)) matcher_->setTimeLimit(kMostOfLine, status);
      check(status, "");
    }

    bool finds(std::string_view line) {
      const icu::UnicodeString text = utf16(line);
      UErrorCode status = U_ZERO_ERROR;
      const bool found = matcher_->reset(text).find(status);
      check(status, line);
      if (Clock::now() - start_ > kMostOfAll) refuse("these texts");
      return found;
    }

   private:
    void check(UErrorCode status, std::string_view line) const {
      if (U_SUCCESS(status)) return;
      if (status == U_REGEX_TIME_OUT || status == U_REGEX_STACK_OVERFLOW)
        refuse(fmt::format("the line '{}'", line));
      throw Error("the regular expression '{}' fails: {}", pattern_.text_, u_errorName(status));
    }
    [[noreturn]] void refuse(const std::string& what) const {
      throw Error(
          "the regular expression '{}' takes too long on {}; avoid nested repetitions such as "
          "(a+)+",
          pattern_.text_, what);
    }

    const Pattern& pattern_;
    Clock::time_point start_;
    std::unique_ptr<icu::RegexMatcher> matcher_;
  };

 private:
  std::string text_;
  std::unique_ptr<icu::RegexPattern> pattern_;
};

bool hasOutcome(const Comparison& comparison, const SentenceFilter& filter, double difference) {
  using Outcome = SentenceFilter::Outcome;
  if (std::isnan(difference)) return filter.outcome == Outcome::kAny;
  const bool better = comparison.first().improves(difference);
  switch (filter.outcome) {
    case Outcome::kAny:
      return true;
    case Outcome::kDifferent:
      return difference != 0;
    case Outcome::kBetter:
      return better;
    case Outcome::kWorse:
      return difference != 0 && !better;
    case Outcome::kEqual:
      return difference == 0;
  }
  return true;
}

void checkFilter(const Comparison& comparison, const SentenceFilter& filter) {
  if (filter.system >= comparison.systems.size()) {
    throw usageError("a filter is for system {}, but there are only {}", filter.system + 1,
                     comparison.systems.size());
  }
  if (!filter.unknownWords.isOpen() && comparison.unknownWords.empty())
    throw usageError("a filter on unknown words needs the vocabulary");
  if (!filter.pattern.empty() && filter.where == SentenceFilter::Where::kSource &&
      comparison.source.empty())
    throw usageError("a filter on the source needs the source text");
}

// The texts to search.
std::vector<const std::vector<std::string>*> searched(const Comparison& comparison,
                                                      SentenceFilter::Where where) {
  using Where = SentenceFilter::Where;
  std::vector<const std::vector<std::string>*> texts;
  const bool all = where == Where::kAnywhere;
  if ((all || where == Where::kSource) && !comparison.source.empty())
    texts.push_back(&comparison.source);
  if (all || where == Where::kReferences) {
    for (const auto& reference : comparison.references) texts.push_back(&reference);
  }
  if (all || where == Where::kSystems) {
    for (const ComparedSystem& system : comparison.systems) texts.push_back(&system.lines);
  }
  return texts;
}

void keepMatching(const Comparison& comparison, const SentenceFilter& filter,
                  std::vector<std::size_t>& sentences) {
  const Pattern pattern(filter);
  const auto texts = searched(comparison, filter.where);
  const auto start = Clock::now();
  std::vector<std::uint8_t> found(comparison.sentences.size(), 0);
  inParts(sentences.size(), 64, 0, [&](std::size_t begin, std::size_t end) {
    Pattern::Search search(pattern, start);
    for (std::size_t i = begin; i < end; ++i) {
      const std::size_t at = sentences[i];
      found[at] =
          std::ranges::any_of(texts, [&](const auto* lines) { return search.finds((*lines)[at]); });
    }
  });
  std::erase_if(sentences, [&](std::size_t at) { return found[at] == 0; });
}

}  // namespace

bool NumberRange::contains(double value) const {
  return (!low || value >= *low) && (!high || value <= *high);
}

bool SentenceFilter::isOpen() const {
  return pattern.empty() && length.isOpen() && score.isOpen() && difference.isOpen() &&
         outcome == Outcome::kAny && unknownWords.isOpen();
}

std::vector<std::size_t> filteredSentences(const Comparison& comparison,
                                           const SentenceFilter& filter) {
  checkFilter(comparison, filter);
  std::vector<std::size_t> sentences(comparison.sentences.size());
  std::iota(sentences.begin(), sentences.end(), std::size_t{0});
  const std::vector<double> lengths = filter.length.isOpen()
                                          ? std::vector<double>{}
                                          : sentenceLengths(comparison.references.front());
  std::erase_if(sentences, [&](std::size_t i) {
    const double difference = comparison.sentenceDifference(filter.system, i);
    return (!lengths.empty() && !filter.length.contains(lengths[i])) ||
           !filter.score.contains(comparison.sentenceScores[filter.system][i]) ||
           !filter.difference.contains(difference) || !hasOutcome(comparison, filter, difference) ||
           (!filter.unknownWords.isOpen() &&
            !filter.unknownWords.contains(comparison.unknownWords[i]));
  });
  if (!filter.pattern.empty()) keepMatching(comparison, filter, sentences);
  return sentences;
}

FilteredScores scoreSentences(const Comparison& comparison, std::size_t metric,
                              std::vector<std::size_t> sentences) {
  const MetricComparison& compared = comparison.metrics.at(metric);
  FilteredScores result;
  result.sentences = std::move(sentences);
  const std::size_t count = result.sentences.size();
  result.share = static_cast<double>(count) / static_cast<double>(comparison.sentences.size());
  std::vector<MetricRows> rows;
  for (const MetricRows& all : compared.rows) rows.push_back(all.only(result.sentences));
  const ScoredRows scored{*compared.metric, rows, comparison.baseline, comparison.options};
  if (count == 0) {
    const double nothing = compared.metric->score(std::vector<double>(compared.metric->width()));
    result.systems.assign(rows.size(), {.score = nothing});
    return result;
  }
  result.systems = scoresOf(scored);
  if (count > 1) addTests(scored, Resamples(count, comparison.options.bootstrap), result.systems);
  return result;
}

}  // namespace strata
