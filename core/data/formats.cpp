#include "core/data/formats.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdlib>

#include "core/base/error.h"
#include "core/base/utf8.h"
#include "core/text/replace.h"
#include "core/text/words.h"

namespace strata {
namespace {

constexpr std::size_t kLongestSegment = std::size_t{64} << 20;

// A source derived from another, with the file's name and line numbers.
class Derived : public LineSource {
 public:
  explicit Derived(std::unique_ptr<LineSource> inner) : inner_(std::move(inner)) {}
  const std::string& name() const override { return inner_->name(); }
  std::int64_t lineNumber() const override { return inner_->lineNumber(); }
  std::vector<std::string> notes() const override { return inner_->notes(); }

 protected:
  std::unique_ptr<LineSource> inner_;
};

std::size_t findIgnoringCase(std::string_view text, std::string_view lower, std::size_t from) {
  const auto same = [](char a, char b) { return std::tolower(static_cast<unsigned char>(a)) == b; };
  if (from > text.size()) return std::string_view::npos;
  const auto found = std::search(text.begin() + static_cast<std::ptrdiff_t>(from), text.end(),
                                 lower.begin(), lower.end(), same);
  return found == text.end() ? std::string_view::npos
                             : static_cast<std::size_t>(found - text.begin());
}

// The character of an entity's name (between & and ;); 0: unknown.
char32_t characterOf(std::string_view entity) {
  if (entity == "amp") return U'&';
  if (entity == "lt") return U'<';
  if (entity == "gt") return U'>';
  if (entity == "quot") return U'"';
  if (entity == "apos") return U'\'';
  if (!entity.starts_with('#')) return 0;
  const bool hexadecimal = entity.size() > 1 && (entity[1] == 'x' || entity[1] == 'X');
  const std::string digits(entity.substr(hexadecimal ? 2 : 1));
  char* end = nullptr;
  const unsigned long value = std::strtoul(digits.c_str(), &end, hexadecimal ? 16 : 10);
  const bool whole =
      !digits.empty() && *end == '\0' && std::isxdigit(static_cast<unsigned char>(digits[0]));
  const bool text = value >= 0x20 && value <= 0x10FFFF && !(value >= 0xD800 && value <= 0xDFFF);
  return whole && text ? static_cast<char32_t>(value) : 0;
}

std::string decodeEntities(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    if (text[at] == '&') {
      const auto end = text.substr(at, 12).find(';');
      const char32_t character =
          end == std::string_view::npos ? 0 : characterOf(text.substr(at + 1, end - 1));
      if (character != 0) {
        appendUtf8(out, character);
        at += end + 1;
        continue;
      }
    }
    out += text[at++];
  }
  return out;
}

// The text of each <seg>. Works on characters, not as XML: WMT's and NIST's files are SGML.
class SegmentLines : public Derived {
 public:
  SegmentLines(std::unique_ptr<LineSource> inner, bool keepEntities)
      : Derived(std::move(inner)), keepEntities_(keepEntities) {}

  bool next(std::string_view& line) override {
    for (;;) {
      const auto open = findIgnoringCase(pending_, "<seg", at_);
      if (open != std::string::npos) return read(open, line);
      std::string_view text;
      if (!inner_->next(text)) break;
      pending_.assign(text);
      at_ = 0;
    }
    if (segments_ == 0)
      throw Error("{}: contains no <seg>; is it an evaluation set in XML or SGML?", name());
    return false;
  }

 private:
  bool read(std::size_t open, std::string_view& line) {
    const std::int64_t startLine = lineNumber();
    std::size_t begin = std::string::npos, end = std::string::npos;
    for (;;) {
      if (begin == std::string::npos) begin = pending_.find('>', open);
      if (begin != std::string::npos)
        end = findIgnoringCase(pending_, "</seg", std::max(begin, searched_));
      if (end != std::string::npos) break;
      searched_ = pending_.size() < 5 ? 0 : pending_.size() - 5;
      std::string_view text;
      if (pending_.size() > kLongestSegment || !inner_->next(text)) {
        throw Error("{}: line {}: a <seg> that starts here has no end", name(), startLine);
      }
      pending_ += ' ';
      pending_ += text;
    }
    searched_ = 0;
    at_ = end + 5;
    ++segments_;
    const std::string_view inside =
        trimmed(std::string_view(pending_).substr(begin + 1, end - begin - 1), " \t\r\n\f\v");
    segment_ = keepEntities_ ? std::string(inside) : decodeEntities(inside);
    line = segment_;
    return true;
  }

  bool keepEntities_;
  std::string pending_, segment_;
  std::size_t at_ = 0, searched_ = 0;
  std::int64_t segments_ = 0;
};

class TedLines : public Derived {
 public:
  using Derived::Derived;
  bool next(std::string_view& line) override {
    constexpr std::array<std::string_view, 3> kDropped = {"<url>", "<talkid>", "<keywords>"};
    constexpr std::array<std::string_view, 4> kRemoved = {"<title>", "</title>", "<description>",
                                                          "</description>"};
    const auto dropped = [&] {
      return std::any_of(kDropped.begin(), kDropped.end(), [&](std::string_view tag) {
        return line.find(tag) != std::string_view::npos;
      });
    };
    do {
      if (!inner_->next(line)) return false;
    } while (dropped());
    if (line.find('<') == std::string_view::npos) return true;
    text_.assign(line);
    for (const std::string_view tag : kRemoved) replaceAll(text_, tag, "");
    line = text_;
    return true;
  }

 private:
  std::string text_;
};

class ColumnLines : public Derived {
 public:
  ColumnLines(std::unique_ptr<LineSource> inner, int column)
      : Derived(std::move(inner)), column_(column) {}
  bool next(std::string_view& line) override {
    if (!inner_->next(line)) return false;
    for (int i = 1; i < column_; ++i) {
      const auto tab = line.find('\t');
      if (tab == std::string_view::npos) {
        throw Error("{}: line {} has {} tab-separated columns, but column {} is requested", name(),
                    lineNumber(), i, column_);
      }
      line.remove_prefix(tab + 1);
    }
    line = line.substr(0, line.find('\t'));
    return true;
  }

 private:
  int column_;
};

class ReplacedLines : public Derived {
 public:
  ReplacedLines(std::unique_ptr<LineSource> inner,
                std::vector<std::pair<std::string, std::string>> replace)
      : Derived(std::move(inner)), replace_(std::move(replace)) {}
  bool next(std::string_view& line) override {
    if (!inner_->next(line)) return false;
    text_.assign(line);
    for (const auto& [from, to] : replace_) replaceAll(text_, from, to);
    line = text_;
    return true;
  }

 private:
  std::vector<std::pair<std::string, std::string>> replace_;
  std::string text_;
};

bool hasSegments(std::string name) {
  for (const std::string_view end : {".gz", ".bz2", ".xz"}) {
    if (name.ends_with(end)) name.resize(name.size() - end.size());
  }
  return name.ends_with(".xml") || name.ends_with(".sgm") || name.ends_with(".sgml");
}

}  // namespace

TextFormat textFormatOf(std::string_view name) {
  if (name == "auto") return TextFormat::kAuto;
  if (name == "lines") return TextFormat::kLines;
  if (name == "segments") return TextFormat::kSegments;
  if (name == "ted-tags") return TextFormat::kTedTags;
  throw usageError("unknown text format '{}'; expected auto, lines, segments or ted-tags", name);
}

std::unique_ptr<LineSource> openLines(const TextInput& input, bool quiet) {
  std::unique_ptr<LineSource> lines = std::make_unique<TextLines>(input.location, quiet);
  TextFormat format = input.format;
  if (format == TextFormat::kAuto)
    format = hasSegments(input.location) ? TextFormat::kSegments : TextFormat::kLines;
  if (format == TextFormat::kSegments)
    lines = std::make_unique<SegmentLines>(std::move(lines), input.keepEntities);
  if (format == TextFormat::kTedTags) lines = std::make_unique<TedLines>(std::move(lines));
  if (input.column > 0) lines = std::make_unique<ColumnLines>(std::move(lines), input.column);
  if (!input.replace.empty())
    lines = std::make_unique<ReplacedLines>(std::move(lines), input.replace);
  return lines;
}

std::string locationOfPrefix(const std::string& prefix, const std::string& language) {
  const std::string base = prefix + "." + language;
  const std::filesystem::path archive = fileOfLocation(base);
  const bool member = archive.string() != base;
  const std::vector<std::string> members =
      member ? archiveMembers(archive) : std::vector<std::string>{};
  for (const char* end : {"", ".gz", ".bz2", ".xz", ".txt", ".xml", ".sgm", ".xml.gz", ".sgm.gz"}) {
    const std::string location = base + end;
    std::error_code ignored;
    const bool found =
        member ? std::find(members.begin(), members.end(),
                           location.substr(archive.string().size() + 1)) != members.end()
               : std::filesystem::exists(location, ignored);
    if (found) return location;
  }
  throw Error("{}: no such file, nor with .gz, .bz2, .xz, .txt, .xml or .sgm appended", base);
}

}  // namespace strata
