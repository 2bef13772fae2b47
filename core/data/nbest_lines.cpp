#include "core/data/nbest_lines.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <map>

#include "core/base/parse_number.h"
#include "core/text/words.h"

namespace strata {
namespace {

bool isNumber(const std::string& token) {
  return parseNumber<double>(token).has_value();
}

// NAME= or NAME: before its values, or NAME=VALUE.
bool isNamed(const std::string& token) {
  if (token.size() > 1 && token.ends_with(':')) return true;
  const std::size_t equals = token.rfind('=');
  return equals != token.npos && equals > 0 &&
         (equals + 1 == token.size() || isNumber(token.substr(equals + 1)));
}

// Of an alignment: 0-1, 0-1=0-1, 0.25,0.75.
bool isAlignment(const std::string& token) {
  return token.find_first_not_of("0123456789-,.=") == token.npos;
}

enum class FieldKind { kText, kNumbers, kFeatures };

FieldKind kindOf(std::string_view field) {
  const auto tokens = wordsOf(field);
  if (tokens.empty()) return FieldKind::kFeatures;  // the alignment of an empty text
  if (std::ranges::all_of(tokens, isNumber)) return FieldKind::kNumbers;
  const bool named = isNamed(tokens.front()) && std::ranges::all_of(tokens, [](const auto& token) {
                       return isNamed(token) || isNumber(token);
                     });
  return named || std::ranges::all_of(tokens, isAlignment) ? FieldKind::kFeatures
                                                           : FieldKind::kText;
}

// The fields between bars that stand alone.
std::vector<std::string> partsBetweenBars(std::string_view line) {
  constexpr std::string_view kBars = " |||";
  std::vector<std::string> fields;
  for (auto at = line.find(kBars); at != line.npos; at = line.find(kBars, at + 1)) {
    const std::size_t behind = at + kBars.size();
    if (behind < line.size() && line[behind] != ' ') continue;
    fields.emplace_back(trimmed(line.substr(0, at)));
    line.remove_prefix(behind);
    at = line.npos;  // + 1 is the start of the rest
  }
  fields.emplace_back(trimmed(line));
  return fields;
}

}  // namespace

std::optional<NbestLine> parseNbestLine(std::string_view line) {
  NbestLine parsed{.fields = partsBetweenBars(line)};
  auto& fields = parsed.fields;
  const auto id = parseNumber<std::int32_t>(fields.front());
  if (!id || fields.front().starts_with('-')) return std::nullopt;
  fields.erase(fields.begin());
  std::size_t score = fields.size();  // one beyond it
  while (score > 1 && !isNumber(fields[score - 1])) --score;
  if (score < 2) return std::nullopt;
  --score;
  parsed.id = *id;
  parsed.score = *parseNumber<double>(fields[score]);
  parsed.least = parsed.most = fields.size() - score;
  bool sure = true;
  for (std::size_t i = score; i-- > 1;) {
    const FieldKind kind = kindOf(fields[i]);
    if (kind == FieldKind::kText) break;
    // Features without names stand directly before the score.
    sure = sure && (kind == FieldKind::kFeatures || i + 1 == score);
    ++parsed.most;
    if (sure) parsed.least = parsed.most;
  }
  return parsed;
}

std::string NbestLine::text(std::size_t following) const {
  const auto end = fields.end() - static_cast<std::ptrdiff_t>(std::min(following, most));
  return fmt::format("{}", fmt::join(fields.begin(), end, " ||| "));
}

std::size_t usualFollowing(const std::vector<NbestLine>& lines) {
  std::map<std::size_t, std::size_t> lineCounts;
  for (const NbestLine& line : lines) ++lineCounts[line.least];
  const auto usual =
      std::ranges::max_element(lineCounts, {}, [](const auto& each) { return each.second; });
  return usual == lineCounts.end() ? 1 : usual->first;
}

}  // namespace strata
