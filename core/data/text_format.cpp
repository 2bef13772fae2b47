#include "core/data/text_format.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

#include "core/base/error.h"
#include "core/data/foreign_formats.h"
#include "core/text/words.h"

namespace strata {
namespace {

constexpr std::size_t kHead = std::size_t{64} << 10;  // bytes that tell the format
constexpr std::string_view kHeadBlanks = " \t\r\n\f\v";

constexpr std::array<std::pair<std::string_view, TextFormat>, 7> kFormatNames = {
    {{"auto", TextFormat::kAuto},
     {"lines", TextFormat::kLines},
     {"segments", TextFormat::kSegments},
     {"tmx", TextFormat::kTmx},
     {"jsonl", TextFormat::kJsonLines},
     {"tsv", TextFormat::kTsv},
     {"ted-tags", TextFormat::kTedTags}}};

constexpr std::array<std::pair<std::string_view, TextFormat>, 8> kEndings = {
    {{".sgm", TextFormat::kSegments},
     {".sgml", TextFormat::kSegments},
     {".xml", TextFormat::kSegments},
     {".tmx", TextFormat::kTmx},
     {".jsonl", TextFormat::kJsonLines},
     {".ndjson", TextFormat::kJsonLines},
     {".json", TextFormat::kJsonLines},
     {".tsv", TextFormat::kTsv}}};

[[noreturn]] void refuseForeign(const std::string& file, std::string_view what) {
  throw usageError(
      "{}: is {}, which is not read as sentences; convert it to lines of text, to TSV or to JSON "
      "lines (docs/other-tools.md). --format lines takes its lines as they are",
      file, what);
}

std::string loweredName(std::string_view text) {
  std::string result(text);
  for (char& c : result) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return result;
}

// Takes what comes before `end` and that off the text; false: it does not come.
bool takeTo(std::string_view& text, std::string_view end) {
  const auto found = text.find(end);
  if (found == std::string_view::npos) return false;
  text.remove_prefix(found + end.size());
  return true;
}

void takeBlanks(std::string_view& text) {
  text.remove_prefix(std::min(text.find_first_not_of(kHeadBlanks), text.size()));
}

// What a file's beginning claims.
struct Prologue {
  std::string root;       // name of the first tag in lower case; empty: there is none
  bool isMarkup = false;  // it is complete, and another < comes next
  bool declared = false;  // after <?xml or <!DOCTYPE
};

Prologue prologueOf(std::string_view head) {
  Prologue found;
  bool typed = false, more = true;
  for (takeBlanks(head); more; takeBlanks(head)) {
    if (head.starts_with("<?xml") && !std::exchange(found.declared, true)) {
      more = takeTo(head, "?>");
    } else if (head.starts_with("<!--")) {
      more = takeTo(head, "-->");
    } else if (loweredName(head.substr(0, 9)) == "<!doctype" && !std::exchange(typed, true)) {
      const auto bracket = head.substr(0, head.find('>')).find('[');
      more = (bracket == std::string_view::npos || takeTo(head, "]")) && takeTo(head, ">");
    } else {
      break;
    }
    if (!more) return {};
  }
  found.declared = found.declared || typed;
  if (head.size() < 2 || head[0] != '<' || !std::isalpha(static_cast<unsigned char>(head[1])))
    return found;
  const auto end = std::min(head.find_first_of(" \t\r\n/>", 1), head.size());
  found.root = loweredName(head.substr(1, end - 1));
  if (!takeTo(head, ">")) return found;
  takeBlanks(head);
  found.isMarkup = head.starts_with('<');
  return found;
}

TextFormat formatOfRoot(std::string_view root) {
  if (root == "tmx") return TextFormat::kTmx;
  for (const std::string_view known : {"srcset", "refset", "tstset", "mteval", "dataset"}) {
    if (root == known) return TextFormat::kSegments;
  }
  return TextFormat::kAuto;
}

// kLines for columns of which there is only one.
TextFormat formatOfColumns(TextLines& lines) {
  std::string_view head = lines.peek(kHead);
  const bool several = takeLine(head).find('\t') != std::string_view::npos;
  return several ? TextFormat::kTsv : TextFormat::kLines;
}

}  // namespace

TextFormat textFormatOf(std::string_view name) {
  for (const auto& [known, format] : kFormatNames) {
    if (name == known) return format;
  }
  throw usageError("unknown text format '{}'; expected one of {}", name,
                   fmt::join(textFormatNames(), ", "));
}

std::vector<std::string> textFormatNames() {
  std::vector<std::string> names;
  for (const auto& [name, format] : kFormatNames) names.emplace_back(name);
  return names;
}

std::string nameOf(TextFormat format) {
  for (const auto& [name, known] : kFormatNames) {
    if (known == format) return std::string(name);
  }
  return {};
}

TextFormat formatByName(std::string name) {
  name = plainName(name);
  for (const auto& [ending, format] : kEndings) {
    if (name.ends_with(ending)) return format;
  }
  return TextFormat::kAuto;
}

TextFormat formatOf(TextLines& lines) {
  if (const auto foreign = foreignFormatByName(lines.name()); !foreign.empty())
    refuseForeign(lines.name(), foreign);
  const TextFormat named = formatByName(lines.name());
  if (named == TextFormat::kTsv) return formatOfColumns(lines);
  if (named == TextFormat::kTmx || named == TextFormat::kJsonLines) return named;
  // As much as reading a line needs: a pipe may have no more yet.
  const std::string_view start = lines.peek(4);
  const bool blank = start.find_first_not_of(kHeadBlanks) == std::string_view::npos;
  if (named == TextFormat::kAuto && !blank && start.find('<') == std::string_view::npos)
    return TextFormat::kLines;
  const Prologue prologue = prologueOf(lines.peek(kHead));
  const TextFormat root = formatOfRoot(prologue.root);
  if (named != TextFormat::kAuto) return root == TextFormat::kTmx ? root : named;
  if (!prologue.isMarkup) return TextFormat::kLines;
  if (root != TextFormat::kAuto) return root;
  if (prologue.declared)
    refuseForeign(lines.name(), fmt::format("markup whose root element is <{}>", prologue.root));
  return TextFormat::kLines;
}

}  // namespace strata
