#include "core/curves/log_prefix.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "core/curves/log_text.h"

namespace strata {
namespace {

constexpr char kEscape = '\x1b', kBell = '\x07';

bool isDigit(char c) {
  return c >= '0' && c <= '9';
}

bool isLetter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

char lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

// The first byte after an escape sequence that begins at `at`.
std::size_t endOfEscape(std::string_view line, std::size_t at) {
  if (++at >= line.size()) return line.size();
  if (line[at] == '[') {  // parameters, then a letter
    do {
      ++at;
    } while (at < line.size() && !(line[at] >= '@' && line[at] <= '~'));
  } else if (line[at] == ']') {  // a text up to a bell or another escape
    while (at < line.size() && line[at] != kBell && line[at] != kEscape) ++at;
    if (at + 1 < line.size() && line[at] == kEscape) ++at;
  }
  return std::min(at + 1, line.size());
}

// A number of at most six digits at the beginning, which is taken away.
std::optional<int> takeNumber(std::string_view& text) {
  constexpr std::size_t kMostDigits = 6;
  int number = 0;
  std::size_t digits = 0;
  for (; digits < text.size() && isDigit(text[digits]); ++digits) {
    if (digits == kMostDigits) return {};
    number = number * 10 + (text[digits] - '0');
  }
  if (digits == 0) return {};
  text.remove_prefix(digits);
  return number;
}

// "rank", "default" or "local_rank" at the beginning, with what separates it from a number.
bool takeRankWord(std::string_view& text) {
  std::size_t end = 0;
  std::string word;
  while (end < text.size() && isLetter(text[end])) word += lower(text[end++]);
  constexpr std::array<std::string_view, 7> kWords{"rank",   "local_rank", "global_rank", "default",
                                                   "worker", "trainer",    "gpu"};
  if (std::ranges::find(kWords, word) == kWords.end()) return false;
  if (end < text.size() && (text[end] == ' ' || text[end] == ':' || text[end] == '=')) ++end;
  while (end < text.size() && text[end] == ' ') ++end;
  text.remove_prefix(end);
  return true;
}

// "[rank0]", "[0]" or "[1,0]<stdout>" at the beginning.
std::optional<int> bracketed(std::string_view text) {
  if (!take(text, "[")) return {};
  takeRankWord(text);
  auto number = takeNumber(text);
  if (number && take(text, ",")) {
    number = takeNumber(text);
    if (!take(text, "]<std")) return {};
    return number;
  }
  return number && text.starts_with("]") ? number : std::nullopt;
}

// "3:" at the beginning, after blanks.
std::optional<int> labelled(std::string_view text) {
  text = trimmed(text);
  const auto number = takeNumber(text);
  const bool label = text.starts_with(": ") || text == ":" || text.starts_with(":\t");
  return number && label ? number : std::nullopt;
}

std::optional<int> rankIn(std::string_view text) {
  if (const auto label = labelled(text)) return label;
  for (std::size_t at = 0; at < text.size(); ++at) {
    std::string_view rest = text.substr(at);
    if (text[at] == '[') {
      if (const auto rank = bracketed(rest)) return rank;
    } else if (isLetter(text[at]) && (at == 0 || !isLetter(text[at - 1]))) {
      if (!takeRankWord(rest)) continue;
      if (const auto rank = takeNumber(rest)) return rank;
    }
  }
  return {};
}

}  // namespace

bool nextLogLine(CurveInput& input, std::string& line) {
  if (!input.nextLine(line)) return false;
  constexpr std::string_view kMarks[] = {"\xef\xbb\xbf", "\xff\xfe", "\xfe\xff"};
  std::size_t from = 0, to = 0;
  for (const std::string_view mark : kMarks) {
    if (std::string_view(line).starts_with(mark)) from = mark.size();
  }
  while (from < line.size()) {
    if (line[from] == kEscape) {
      from = endOfEscape(line, from);
    } else {
      if (line[from] != '\0') line[to++] = line[from];
      ++from;
    }
  }
  line.resize(to);
  while (line.ends_with('\r')) line.pop_back();
  return true;
}

LogPrefix logPrefix(std::string_view text) {
  LogPrefix prefix;
  std::string rest(text);  // without the time
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (!isDigit(text[at]) || (at > 0 && isDigit(text[at - 1]))) continue;
    std::string_view after = text.substr(at);
    const auto time = takeTime(after);
    if (!time) continue;
    if (prefix.time == 0) prefix.time = *time;
    rest = std::string(text.substr(0, at)) + std::string(after);
    break;
  }
  prefix.rank = rankIn(rest);
  return prefix;
}

bool canBegin(std::string_view line, std::size_t at) {
  constexpr std::string_view kBefore = " \t|]:>-";
  return at == 0 || kBefore.find(line[at - 1]) != std::string_view::npos;
}

RankChoice::Use RankChoice::useOf(std::string_view what, std::optional<int> rank) {
  if (!rank) return Use::kTake;
  const auto found = chosen_.find(what);
  if (found == chosen_.end()) {
    chosen_.emplace(std::string(what), *rank);
    return Use::kTake;
  }
  if (found->second == *rank) return Use::kTake;
  ++skipped_;
  if (*rank != 0) return Use::kSkip;
  found->second = 0;
  return Use::kReplace;
}

bool RankChoice::saysAt(std::string_view line, std::size_t at) const {
  if (at == std::string_view::npos) return false;
  const auto rank = logPrefix(line.substr(0, at)).rank;
  return !rank || chosen_.empty() ||
         std::ranges::any_of(chosen_, [&](const auto& each) { return each.second == *rank; });
}

std::string RankChoice::note() const {
  if (skipped_ == 0) return {};
  return "several processes print figures: those of rank 0, or else of the first one, count";
}

}  // namespace strata
