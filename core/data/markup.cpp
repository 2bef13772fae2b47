#include "core/data/markup.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdlib>

#include "core/base/error.h"
#include "core/base/utf8.h"
#include "core/text/words.h"

namespace strata {
namespace {

constexpr std::size_t kLongestText = std::size_t{64} << 20, kLongestTag = std::size_t{64} << 10;
constexpr std::string_view kBlanks = " \t\r\n\f\v";

bool isBlank(char c) {
  return c != '\0' && kBlanks.find(c) != std::string_view::npos;
}

char lowerOf(char c) {
  return static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
}

bool isNameStart(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return std::isalpha(byte) != 0 || c == '_' || c == ':' || byte >= 0x80;
}

bool isNamePart(char c) {
  return isNameStart(c) || std::isdigit(static_cast<unsigned char>(c)) != 0 || c == '-' || c == '.';
}

// Elements of TMX whose content is another format's code, not text.
bool isCode(std::string_view name) {
  constexpr std::array<std::string_view, 5> kCodes = {"bpt", "ept", "it", "ph", "ut"};
  return std::find(kCodes.begin(), kCodes.end(), name) != kCodes.end();
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
  if (whole && (value == '\t' || value == '\n' || value == '\r')) return U' ';
  const bool text = value >= 0x20 && value <= 0x10FFFF && !(value >= 0xD800 && value <= 0xDFFF);
  return whole && text ? static_cast<char32_t>(value) : 0;
}

// Every run of blanks as one space.
std::string withSingleBlanks(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (const char c : text) {
    if (!isBlank(c))
      out += c;
    else if (!out.empty() && out.back() != ' ')
      out += ' ';
  }
  return out;
}

}  // namespace

std::string MarkupTag::attribute(std::string_view key) const {
  for (const auto& [name, value] : attributes) {
    if (name == key) return value;
  }
  return {};
}

bool MarkupTag::has(std::string_view key) const {
  return std::any_of(attributes.begin(), attributes.end(),
                     [&](const auto& attribute) { return attribute.first == key; });
}

std::string decodedEntities(std::string_view text) {
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

// Appends the next line, after the end of the one before it.
bool MarkupReader::more() {
  std::string_view line;
  if (!lines_.next(line)) return false;
  if (started_) buffer_ += '\n';
  started_ = true;
  buffer_ += line;
  return true;
}

char MarkupReader::at(std::size_t position) {
  while (position >= buffer_.size()) {
    if (!more()) return '\0';
  }
  return buffer_[position];
}

void MarkupReader::drop(std::size_t end) {
  line_ += std::count(buffer_.begin() + static_cast<std::ptrdiff_t>(at_),
                      buffer_.begin() + static_cast<std::ptrdiff_t>(end), '\n');
  at_ = end;
  if (at_ < buffer_.size() / 2) return;
  buffer_.erase(0, at_);
  at_ = 0;
}

// Reads on until `what` is there; npos: it never comes, or too late.
std::size_t MarkupReader::find(std::string_view what, std::size_t from) {
  for (;;) {
    const std::size_t found = buffer_.find(what, from);
    if (found != std::string::npos) return found;
    from = std::max(from, buffer_.size() - std::min(buffer_.size(), what.size() - 1));
    if (buffer_.size() - at_ > kLongestText || !more()) return std::string::npos;
  }
}

void MarkupReader::dropUntil(std::string_view end, std::string_view what) {
  const std::size_t found = find(end, at_ + 2);
  if (found == std::string::npos)
    throw Error("{}: line {}: {} that starts here has no end", lines_.name(), line_, what);
  drop(found + end.size());
}

// <!DOCTYPE name [ ... ]>: what is declared in it is not used.
void MarkupReader::dropDeclaration() {
  const std::size_t end = find(">", at_);
  const std::size_t bracket = rest().substr(0, end - std::min(end, at_)).find('[');
  if (end == std::string::npos || bracket == std::string_view::npos)
    return dropUntil(">", "a declaration");
  dropUntil("]", "a declaration");
  if (find(">", at_) == std::string::npos)
    throw Error("{}: line {}: a declaration that ends here has no >", lines_.name(), line_);
  drop(find(">", at_) + 1);
}

std::size_t MarkupReader::skipBlanks(std::size_t position) {
  while (isBlank(at(position))) ++position;
  return position;
}

// Reads the attribute that begins at a position and returns where it ends.
std::size_t MarkupReader::attributeAt(std::size_t position, MarkupTag& tag) {
  std::string name, value;
  const auto ends = [](char c) { return c == '\0' || c == '>' || c == '<' || isBlank(c); };
  for (char c = at(position); !ends(c) && c != '=' && c != '/'; c = at(++position))
    name += lowerOf(c);
  if (name.empty()) return position + 1;  // a stray character
  const std::size_t equals = skipBlanks(position);
  if (at(equals) != '=') {
    tag.attributes.emplace_back(std::move(name), "");
    return position;
  }
  position = skipBlanks(equals + 1);
  const char quote = at(position);
  if (quote == '"' || quote == '\'') {
    std::size_t end = position + 1;
    for (char c = at(end); c != quote && c != '<' && c != '\0'; c = at(++end)) value += c;
    if (at(end) == quote) {
      tag.attributes.emplace_back(std::move(name), decodedEntities(value));
      return end + 1;
    }
    value.clear();  // the quote has no end: as if it were not there
    ++position;
  }
  for (char c = at(position); !ends(c); c = at(++position)) value += c;
  tag.attributes.emplace_back(std::move(name), decodedEntities(value));
  return position;
}

// Reads the tag whose < is at `begin` and returns the position after it; npos: it is no tag.
std::size_t MarkupReader::tagAt(std::size_t begin, MarkupTag& tag) {
  tag = {};
  std::size_t position = begin + 1;
  tag.closing = at(position) == '/';
  if (tag.closing) ++position;
  if (!isNameStart(at(position))) return std::string::npos;
  for (char c = at(position); c != '\0' && isNamePart(c); c = at(++position))
    tag.name += lowerOf(c);
  while (position - begin <= kLongestTag) {
    position = skipBlanks(position);
    const char c = at(position);
    if (c == '>') return position + 1;
    if (c == '\0' || c == '<') return std::string::npos;
    if (c == '/' && at(position + 1) == '>') {
      tag.empty = true;
      return position + 2;
    }
    position = c == '/' ? position + 1 : attributeAt(position, tag);
  }
  return std::string::npos;
}

bool MarkupReader::next(MarkupTag& tag) {
  for (;;) {
    const std::size_t begin = buffer_.find('<', at_);
    if (begin == std::string::npos) {
      drop(buffer_.size());
      if (!more()) return false;
      continue;
    }
    drop(begin);
    if (rest().starts_with("<!--")) {
      dropUntil("-->", "a comment");
    } else if (rest().starts_with("<![CDATA[")) {
      dropUntil("]]>", "a CDATA section");
    } else if (rest().starts_with("<?")) {
      dropUntil(">", "a processing instruction");
    } else if (rest().starts_with("<!")) {
      dropDeclaration();
    } else if (const std::size_t end = tagAt(at_, tag); end != std::string::npos) {
      tagLine_ = line_;
      drop(end);
      return true;
    } else {
      drop(at_ + 1);
    }
  }
}

// The text of an element while it is read.
struct MarkupReader::Content {
  const MarkupTag& element;
  MarkupText how;
  std::string text = {}, raw = {};  // decoded, and what follows it as it is written
  int codes = 0;                    // elements of codes that are open
  bool comments = true;             // may come
  bool finished = false;

  void add(std::string_view characters) {
    if (codes == 0) raw += characters;
  }
  void decode() {
    text += how.keepEntities ? raw : decodedEntities(raw);
    raw.clear();
  }
};

// A comment or a CDATA section; false: there is none.
bool MarkupReader::takeComment(Content& content) {
  if (rest().starts_with("<![CDATA[")) {
    const std::size_t begin = at_ + 9, end = find("]]>", begin);
    if (end == std::string::npos) dropUntil("]]>", "a CDATA section");
    content.decode();
    if (content.codes == 0) content.text += buffer_.substr(begin, end - begin);
    drop(end + 3);
    return true;
  }
  if (!content.comments || !rest().starts_with("<!--")) return false;
  if (content.how.tagsAreText) {
    // One that the element's end comes before is text.
    while (buffer_.size() - at_ < kLongestTag && more()) {
    }
    const std::string_view ahead = rest().substr(0, kLongestTag);
    const std::string_view inside = ahead.substr(0, ahead.find("-->", 4));
    const std::string endTag = "</" + content.element.name;
    const auto found = std::search(inside.begin(), inside.end(), endTag.begin(), endTag.end(),
                                   [](char a, char b) { return lowerOf(a) == b; });
    content.comments = inside.size() < ahead.size() && found == inside.end();
    if (!content.comments) return false;
  }
  dropUntil("-->", "a comment");
  return true;
}

// What begins with the < that comes next.
bool MarkupReader::takeMarkup(Content& content) {
  if (takeComment(content)) return true;
  MarkupTag tag;
  const std::size_t end = tagAt(at_, tag);
  const bool isTag = end != std::string::npos;
  if (isTag && tag.name == content.element.name) {
    content.finished = tag.closing;
    if (tag.closing) drop(end);
    return tag.closing;  // the same element within itself: the end is missing
  }
  if (!isTag || content.how.tagsAreText) {
    if (!content.how.tagsAreText && rest().starts_with("<?")) {
      dropUntil(">", "a processing instruction");
      return true;
    }
    content.add("<");
    drop(at_ + 1);
    return true;
  }
  if (isCode(tag.name) && !tag.empty)
    content.codes = std::max(0, content.codes + (tag.closing ? -1 : 1));
  drop(end);
  return true;
}

std::string MarkupReader::text(const MarkupTag& element, const MarkupText& how) {
  if (element.empty) return {};
  Content content{.element = element, .how = how};
  const std::int64_t begun = tagLine_;
  const auto refuse = [&] {
    throw Error("{}: line {}: a <{}> that starts here has no end", lines_.name(), begun,
                element.name);
  };
  while (!content.finished) {
    const std::size_t next = buffer_.find('<', at_);
    content.add(rest().substr(0, next == std::string::npos ? next : next - at_));
    drop(std::min(next, buffer_.size()));
    if (content.raw.size() + content.text.size() > kLongestText) refuse();
    if (next == std::string::npos ? !more() : !takeMarkup(content)) refuse();
  }
  content.decode();
  if (!how.tagsAreText) return std::string(trimmed(withSingleBlanks(content.text), kBlanks));
  std::string text(trimmed(content.text, kBlanks));
  std::replace(text.begin(), text.end(), '\n', ' ');
  return text;
}

}  // namespace strata
