#include "core/text/bpe_glossary.h"

#include <unicode/regex.h>
#include <unicode/unistr.h>

#include "core/base/error.h"

namespace strata {
namespace {

constexpr std::string_view kSpaces = "\\t-\\r\\x1c-\\x20\\x85\\p{Z}";
constexpr std::string_view kWordCharacters = "\\p{L}\\p{N}_";

// Rewrites an expression of Python's `re` in ICU's syntax where the two differ: the members of \s
// and \w, \Z, named groups, braces that are not repetitions, and characters that are special to ICU
// inside a set.
class SyntaxTranslator {
 public:
  explicit SyntaxTranslator(std::string_view source) : source_(source) {}

  std::string translate() {
    while (at_ < source_.size()) {
      if (source_[at_] == '\\' && at_ + 1 < source_.size()) {
        escape(source_[at_ + 1]);
        at_ += 2;
      } else if (insideSet_) {
        inSet(source_[at_++]);
      } else {
        outsideSet(source_[at_]);
      }
    }
    return out_;
  }

 private:
  void escape(char c) {
    const std::string_view characters = c == 's' || c == 'S' ? kSpaces : kWordCharacters;
    if (c == 's' || c == 'w') {
      out_ += insideSet_ ? std::string(characters) : "[" + std::string(characters) + "]";
    } else if (c == 'S' || c == 'W') {
      out_ += "[^" + std::string(characters) + "]";
    } else if (c == 'Z') {
      out_ += "\\z";
    } else {
      out_ += {'\\', c};
    }
  }

  void inSet(char c) {
    if (c == ']') insideSet_ = false;
    if (c == '[' || c == '&' || c == '^' || c == '{' || c == '}') out_ += '\\';
    out_ += c;
  }

  void outsideSet(char c) {
    const std::string_view rest = source_.substr(at_);
    if (c == '[') {
      openSet();
    } else if (rest.starts_with("(?P<")) {
      out_ += "(?<";
      at_ += 4;
    } else if (const std::size_t end = rest.find(')');
               rest.starts_with("(?P=") && end != rest.npos) {
      out_ += "\\k<" + std::string(rest.substr(4, end - 4)) + ">";
      at_ += end + 1;
    } else if (c == '{') {
      openBrace(rest);
    } else {
      if (c == '}') out_ += '\\';
      out_ += c;
      ++at_;
    }
  }

  void openSet() {
    insideSet_ = true;
    out_ += '[';
    ++at_;
    if (at_ < source_.size() && source_[at_] == '^') out_ += source_[at_++];
    if (at_ < source_.size() && source_[at_] == ']') {  // a leading bracket is a literal character
      out_ += "\\]";
      ++at_;
    }
  }

  void openBrace(std::string_view rest) {
    const std::size_t end = rest.find('}');
    const std::string_view inside = rest.substr(1, end == rest.npos ? 0 : end - 1);
    const bool repeats = !inside.empty() &&
                         inside.find_first_not_of("0123456789,") == inside.npos &&
                         inside.find(',') == inside.rfind(',') && inside != ",";
    if (!repeats) {
      out_ += "\\{";
      ++at_;
      return;
    }
    out_ += (inside[0] == ',' ? "{0" : "{") + std::string(inside) + "}";
    at_ += end + 1;
  }

  std::string_view source_;
  std::size_t at_ = 0;
  bool insideSet_ = false;
  std::string out_;
};

std::unique_ptr<icu::RegexMatcher> compile(const std::string& expression,
                                           const std::string& shown) {
  UErrorCode status = U_ZERO_ERROR;
  const icu::UnicodeString pattern = icu::UnicodeString::fromUTF8(expression);
  // Only \n ends a line, as in Python.
  auto matcher = std::make_unique<icu::RegexMatcher>(pattern, UREGEX_UNIX_LINES, status);
  if (U_FAILURE(status)) {
    throw usageError("glossary \"{}\" is not a regular expression: {}", shown, u_errorName(status));
  }
  return matcher;
}

std::string toUtf8(const icu::UnicodeString& text) {
  std::string result;
  text.toUTF8String(result);
  return result;
}

bool matchesAtStart(icu::RegexMatcher& matcher, const icu::UnicodeString& text) {
  UErrorCode status = U_ZERO_ERROR;
  matcher.reset(text);
  return matcher.lookingAt(status) && U_SUCCESS(status);
}

}  // namespace

struct BpeGlossary::Entry {
  std::unique_ptr<icu::RegexMatcher> inside;  // the expression
  std::unique_ptr<icu::RegexMatcher> whole;   // ^expression$, literally: ^A|B$ for A|B
};

BpeGlossary::BpeGlossary(const std::vector<std::string>& expressions) {
  std::string all;
  for (const std::string& expression : expressions) {
    const std::string translated = SyntaxTranslator(expression).translate();
    auto entry = std::make_unique<Entry>();
    entry->inside = compile(translated, expression);
    entry->whole = compile("^" + translated + "$", expression);
    entries_.push_back(std::move(entry));
    all += (all.empty() ? "" : "|") + translated;
  }
  if (entries_.empty()) return;
  whole_ = std::make_unique<Entry>();
  whole_->whole = compile("^(" + all + ")$", all);
}

BpeGlossary::~BpeGlossary() = default;

std::vector<std::string> BpeGlossary::isolate(std::string_view word) {
  std::vector<std::string> segments{std::string(word)};
  for (const auto& entry : entries_) {
    std::vector<std::string> next;
    for (const std::string& segment : segments) {
      for (std::string& part : isolate(segment, *entry)) next.push_back(std::move(part));
    }
    segments = std::move(next);
  }
  return segments;
}

std::vector<std::string> BpeGlossary::isolate(const std::string& word, Entry& entry) {
  const icu::UnicodeString text = icu::UnicodeString::fromUTF8(word);
  if (matchesAtStart(*entry.whole, text)) return {word};
  UErrorCode status = U_ZERO_ERROR;
  icu::RegexMatcher& matcher = *entry.inside;
  matcher.reset(text);
  std::vector<std::string> segments;
  const auto keep = [&](const icu::UnicodeString& part) {
    if (!part.isEmpty()) segments.push_back(toUtf8(part));
  };
  std::int32_t end = 0;
  while (matcher.find(status) && U_SUCCESS(status)) {
    keep(text.tempSubStringBetween(end, matcher.start(status)));
    // Groups inside an expression are repeated after the match, as in Python's re.split.
    for (std::int32_t group = 0; group <= matcher.groupCount(); ++group)
      keep(matcher.group(group, status));
    end = matcher.end(status);
  }
  if (U_FAILURE(status))
    throw Error("a glossary expression failed on \"{}\": {}", word, u_errorName(status));
  if (end == 0 && segments.empty()) return {word};
  // The text after the last match loses carriage returns at its ends, as in the reference tool.
  icu::UnicodeString last = text.tempSubStringBetween(end);
  while (last.startsWith(u"\r", 1)) last.remove(0, 1);
  while (last.endsWith(u"\r", 1)) last.truncate(last.length() - 1);
  keep(last);
  return segments;
}

bool BpeGlossary::keepsWhole(std::string_view segment) {
  if (!whole_) return false;
  const icu::UnicodeString text =
      icu::UnicodeString::fromUTF8({segment.data(), static_cast<std::int32_t>(segment.size())});
  return matchesAtStart(*whole_->whole, text);
}

}  // namespace strata
