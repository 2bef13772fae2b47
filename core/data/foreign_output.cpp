#include "core/data/foreign_output.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>

#include "core/base/error.h"
#include "core/base/parse_number.h"
#include "core/data/nbest_lines.h"
#include "core/text/words.h"

namespace strata {
namespace {

using LineTest = bool (*)(std::string_view);
constexpr std::string_view kBars = " ||| ";

// A number that is written with decimals, or none of the finite ones, as programs write scores.
bool isLogScore(std::string_view text) {
  return parseNumber<double>(text) && text.find_first_of(".en") != text.npos;
}

// "-0.25 ||| TEXT", perhaps with more behind it.
bool startsWithScore(std::string_view line) {
  const auto bars = line.find(kBars);
  return bars != line.npos && isLogScore(trimmed(line.substr(0, bars)));
}

// "TEXT ||| 0-0 1-1" or with other numbers behind it: what may stand between the text and the score
// of an n-best list.
bool endsWithFeatures(std::string_view line) {
  if (line.find(" |||") == line.npos) return false;
  const auto parsed = parseNbestLine(fmt::format("0 ||| {} ||| 0", line));
  return parsed && parsed->least > 1;
}

// What follows the only tab of a line.
std::optional<std::string_view> secondColumn(std::string_view line) {
  const auto tab = line.find('\t');
  if (tab == line.npos || line.find('\t', tab + 1) != line.npos) return std::nullopt;
  return line.substr(tab + 1);
}

bool isLink(std::string_view word) {
  const auto dash = word.find('-');
  return dash != word.npos && dash > 0 && dash + 1 < word.size() &&
         word.find_first_not_of("0123456789") == dash &&
         word.find_first_not_of("0123456789", dash + 1) == word.npos;
}

// Only an empty translation has no links.
bool endsWithLinks(std::string_view line) {
  const auto links = secondColumn(line);
  if (!links) return false;
  bool all = !trimmed(*links).empty() || trimmed(line).empty();
  forEachWord(*links, [&](std::string_view word) { all = all && isLink(word); });
  return all;
}

bool endsWithScore(std::string_view line) {
  const auto score = secondColumn(line);
  return score && isLogScore(*score);
}

struct Foreign {
  LineTest fits;
  std::string_view what, advice;
};
constexpr std::array<Foreign, 4> kEachLine{{
    {startsWithScore, "a score before the translation, as OpenNMT-tf writes it with `with_scores`",
     "`sed -E 's/^[^|]* \\|\\|\\| //; s/ \\|\\|\\| .*//'` leaves the translations"},
    {endsWithFeatures,
     "an alignment or scores after the translation, as Marian writes them with `--alignment` or "
     "`--word-scores`",
     "`sed 's/ |||.*//'` leaves the translations"},
    {endsWithLinks, "an alignment after the translation, as Sockeye writes it",
     "`cut -f 1` leaves the translations"},
    {endsWithScore, "a score after the translation, as OpenNMT-py writes it with `with_score`",
     "`cut -f 1` leaves the translations"},
}};

bool startsAnywhere(const std::vector<std::string>& lines, std::string_view part) {
  return std::ranges::any_of(lines, [&](std::string_view line) { return line.starts_with(part); });
}

// "[2024-01-31 12:00:00] [marian] Marian v1.12.0 ..." and "[...] Best translation 0 : TEXT".
bool isMarianLogLine(std::string_view line) {
  constexpr std::size_t kTime = 21;  // bytes of it, with its brackets
  if (line.size() < kTime || line[0] != '[' || line[kTime - 1] != ']') return false;
  const std::string_view rest = line.substr(kTime);
  return rest.starts_with(" [marian] Marian v") || rest.starts_with(" Best translation ");
}

}  // namespace

void refuseForeignOutput(const std::string& file, const std::vector<std::string>& lines) {
  if (startsAnywhere(lines, "PRED 1: ") && startsAnywhere(lines, "SENT 1: ")) {
    throw usageError(
        "{}: is OpenNMT-py's log of a translation; give the file that its option `output` names",
        file);
  }
  if (std::ranges::any_of(lines, isMarianLogLine)) {
    throw usageError("{}: is Marian's log; give its output, without what it says while it works",
                     file);
  }
  const auto isBlank = [](std::string_view line) { return trimmed(line).empty(); };
  if (std::ssize(lines) - std::ranges::count_if(lines, isBlank) < 2) return;
  for (const Foreign& foreign : kEachLine) {
    if (!std::ranges::all_of(
            lines, [&](std::string_view line) { return isBlank(line) || foreign.fits(line); }))
      continue;
    throw usageError("{}: every line has {}; {}. --format lines takes whole lines as translations",
                     file, foreign.what, foreign.advice);
  }
}

}  // namespace strata
