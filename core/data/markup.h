#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/data/lines.h"

namespace strata {

// A tag of SGML or XML. Names are in lower case, since those of SGML mean the same in both cases.
struct MarkupTag {
  std::string name;
  bool closing = false;                                         // </name>
  bool empty = false;                                           // <name/>
  std::vector<std::pair<std::string, std::string>> attributes;  // entities decoded

  bool opens(std::string_view element) const { return !closing && name == element; }
  // The value of an attribute; empty if there is none.
  std::string attribute(std::string_view key) const;
  bool has(std::string_view key) const;
};

// Text with its entities replaced: &amp; &lt; &gt; &quot; &apos; and those by number. Tabs and line
// ends by number become spaces; what is none of these stays as it is.
std::string decodedEntities(std::string_view text);

// How the text of an element is read.
struct MarkupText {
  // The files that evaluation tools call SGML are not written by programs that know it: a < that
  // begins no end of the element is a character. Otherwise tags are left out, with the codes of
  // other formats that TMX wraps (bpt, ept, it, ph, ut), and runs of blanks become one.
  bool tagsAreText = false;
  bool keepEntities = false;
};

// Reads the tags of SGML or XML one after another; comments, declarations and processing
// instructions are passed over, nothing is looked up or expanded. Memory is that of the longest
// tag, comment or text. What has no end is an Error that names the file and the line.
class MarkupReader {
 public:
  explicit MarkupReader(LineSource& lines) : lines_(lines) {}

  // The next tag; false at the end. Text outside of text() is passed over, and so is a < that
  // begins no tag.
  bool next(MarkupTag& tag);
  // The text of the element that the tag last read opens, trimmed, line ends as spaces; its end is
  // passed over.
  std::string text(const MarkupTag& element, const MarkupText& how);
  // Line of the tag last read, from 1.
  std::int64_t line() const { return tagLine_; }

 private:
  struct Content;

  bool more();
  char at(std::size_t position);  // NUL at the end
  std::string_view rest() const { return std::string_view(buffer_).substr(at_); }
  void drop(std::size_t end);
  std::size_t find(std::string_view what, std::size_t from);
  void dropUntil(std::string_view end, std::string_view what);
  void dropDeclaration();
  std::size_t tagAt(std::size_t begin, MarkupTag& tag);
  std::size_t attributeAt(std::size_t position, MarkupTag& tag);
  std::size_t skipBlanks(std::size_t position);
  bool takeComment(Content& content);
  bool takeMarkup(Content& content);

  LineSource& lines_;
  std::string buffer_;
  std::size_t at_ = 0;  // what is before it has been read
  bool started_ = false;
  std::int64_t line_ = 1, tagLine_ = 1;  // of at_, of the tag last read
};

}  // namespace strata
