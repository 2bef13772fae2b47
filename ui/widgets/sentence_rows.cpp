#include "ui/widgets/sentence_rows.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "core/metrics/ngram_differences.h"
#include "core/metrics/tokenizers.h"
#include "core/report/comparison_page_parts.h"
#include "core/text/casing.h"
#include "ui/data/text.h"

namespace strata::ui {
namespace {

// Words of one line times words of another: up to here, comparing ten systems takes a few ms.
constexpr std::size_t kMaximumCells = std::size_t{1} << 19;

// Text without the characters that QTextDocument treats as the end of a line or frame.
QString shownText(std::string_view text) {
  QString shown = qs(text);
  for (QChar& c : shown) {
    const char16_t code = c.unicode();
    if (code == u'\n' || code == u'\r' || code == 0 || (code >= 0x2028 && code <= 0x2029) ||
        (code >= 0xFDD0 && code <= 0xFDEF) || code == 0xFFFC)
      c = QChar(0xFFFD);
  }
  return shown;
}

std::vector<std::string> keysOf(const SentenceRows::Row& row) {
  std::vector<std::string> keys;
  for (const SentenceRows::Word& word : row.words) keys.push_back(word.key);
  return keys;
}

bool areShort(const std::vector<SentenceRows::Row>& rows) {
  std::size_t longest = 0, longestOfTargets = 0;
  for (const SentenceRows::Row& row : rows) {
    if (row.side == SentenceRows::Side::kSource) continue;
    std::size_t& most = row.side == SentenceRows::Side::kSystem ? longest : longestOfTargets;
    most = std::max(most, row.words.size());
  }
  return longest * std::max(longest, longestOfTargets) <= kMaximumCells;
}

}  // namespace

QString SentenceRows::Row::text() const {
  QString text;
  for (const Word& word : words) text += word.gap + word.text;
  return text;
}

SentenceRows::SentenceRows(std::shared_ptr<const Comparison> comparison, std::size_t position)
    : comparison_(std::move(comparison)), position_(position) {
  const std::size_t at = position_;
  const Comparison& c = *comparison_;
  if (!c.source.empty())
    rows_.push_back({Side::kSource, 0, wordsOf({c.source[at], c.source[at], c.lowercase})});
  for (std::size_t r = 0; r < c.references.size(); ++r)
    rows_.push_back({Side::kReference, r,
                     wordsOf({c.references[r][at], c.tokenizedReferences[r][at], c.lowercase})});
  for (std::size_t s = 0; s < c.systems.size(); ++s)
    rows_.push_back({Side::kSystem, s,
                     wordsOf({c.systems[s].lines[at], c.tokenizedSystems[s][at], c.lowercase})});
  fitsComparing_ = areShort(rows_);
}

SentenceRows::Row SentenceRows::rowOfText(const std::string& text) {
  const std::string tokenized =
      fmt::format("{}", fmt::join(bleuWords(text, BleuTokenizer::k13a, false), " "));
  return {Side::kSystem, 0, wordsOf({text, tokenized})};
}

SentenceRows::Differences SentenceRows::differencesFrom(const Row& left, const Row& row) {
  Differences found{.runs = {{DiffKind::kSame, 0, 0, 0, row.words.size()}},
                    .orders = std::vector<int>(row.words.size(), 0)};
  if (!areShort({left, row})) return found;
  found.left = &left;
  found.runs = wordDiff(keysOf(left), keysOf(row));
  return found;
}

std::vector<SentenceRows::Word> SentenceRows::wordsOf(const Line& line) {
  const std::string joined =
      withJoints(line.text, line.tokenized).value_or(std::string(line.tokenized));
  std::vector<Word> words;
  QString gap;
  for (std::string_view rest = joined; !rest.empty();) {
    if (rest.front() == ' ') {
      gap += QLatin1Char(' ');
      rest.remove_prefix(1);
    } else if (rest.front() == kJoint) {
      rest.remove_prefix(1);
    } else {
      const std::string_view word = rest.substr(0, std::min(rest.find(' '), rest.find(kJoint)));
      words.push_back({std::exchange(gap, {}), shownText(word),
                       line.lowercase ? lowercased(word) : std::string(word)});
      rest.remove_prefix(word.size());
    }
  }
  return words;
}

std::size_t SentenceRows::rowOf(std::size_t system) const {
  return rows_.size() - comparison_->systems.size() + system;
}

const SentenceRows::Row* SentenceRows::base(const Row& row, Against against) const {
  if (against == Against::kNothing) return nullptr;
  if (against == Against::kBaseline)
    return row.index == comparison_->baseline ? nullptr : &rows_[rowOf(comparison_->baseline)];
  return &*std::ranges::find(rows_, Side::kReference, &Row::side);
}

SentenceRows::Differences SentenceRows::differencesOf(std::size_t at, Against against) const {
  const Row& row = rows_[at];
  Differences found{.runs = {{DiffKind::kSame, 0, 0, 0, row.words.size()}},
                    .orders = std::vector<int>(row.words.size(), 0)};
  if (row.side != Side::kSystem || !fitsComparing_) return found;
  std::vector<std::string> references;
  for (const std::vector<std::string>& lines : comparison_->tokenizedReferences)
    references.push_back(lines[position_]);
  found.orders = confirmedTokens(comparison_->tokenizedSystems[row.index][position_], references,
                                 {.highest = kMaximumOrder, .lowercase = comparison_->lowercase});
  found.left = base(row, against);
  if (found.left) found.runs = wordDiff(keysOf(*found.left), keysOf(row));
  return found;
}

}  // namespace strata::ui
