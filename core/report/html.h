#pragma once
#include <filesystem>
#include <string>
#include <string_view>

#include "core/report/table.h"

namespace strata {

// Text for HTML content and attribute values.
std::string escapedHtml(std::string_view text);
// <name>text</name> and a line end; the text is escaped, the name is not.
std::string element(std::string_view name, std::string_view text);

// A picture embedded in a page.
struct Picture {
  std::string bytes;
  std::string mediaType;  // "image/png" or "image/svg+xml"
  std::string caption;    // also the alternative text

  // Reads a PNG or SVG file; anything else is an Error that names it.
  static Picture fromFile(const std::filesystem::path& path, std::string caption);
};

// One self-contained HTML page: no scripts, no links to other files, light or dark like the
// reader's system. Takes plain texts and escapes them. Parts appear in the order of the calls.
class HtmlPage {
 public:
  explicit HtmlPage(std::string title);

  void heading(std::string_view text) { body_ += element("h2", text); }
  void paragraph(std::string_view text) { body_ += element("p", text); }
  void code(std::string_view text) { body_ += element("pre", text); }  // line ends kept
  void table(const Table& table);
  void picture(const Picture& picture);

  std::string html() const;
  void write(const std::filesystem::path& path) const;  // atomic

 private:
  std::string title_;
  std::string body_;
};

// A complete page: `head` and `body` are HTML, the title is escaped and also the first heading.
struct HtmlDocument {
  std::string title;
  std::string_view style;  // CSS
  std::string_view head = {};
  std::string body = {};
};
std::string documentHtml(const HtmlDocument& document);

// A table that scrolls within its page; the marked rows have the class "marked".
struct HtmlTable {
  bool rowTitles = false;  // the cells of the first column are headers of their rows
};
std::string htmlTable(const Table& table, const HtmlTable& options = {});
std::string base64(std::string_view bytes);

}  // namespace strata
