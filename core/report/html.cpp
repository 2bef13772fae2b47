#include "core/report/html.h"

#include <algorithm>

#include "core/base/error.h"
#include "core/base/files.h"
#include "core/report/page_files.h"
#include "core/text/replace.h"

namespace strata {
namespace {

std::string sideOf(const TableColumn& column) {
  return column.align == Align::kRight ? " class=\"right\"" : "";
}

}  // namespace

Picture Picture::fromFile(const std::filesystem::path& path, std::string caption) {
  Picture picture{.bytes = readFile(path), .mediaType = "", .caption = std::move(caption)};
  const std::string_view head = std::string_view(picture.bytes).substr(0, 1024);
  if (head.starts_with("\x89PNG\r\n\x1a\n")) {
    picture.mediaType = "image/png";
  } else if (head.find("<svg") != std::string_view::npos) {
    picture.mediaType = "image/svg+xml";
  } else {
    throw Error("{} is not a PNG or SVG picture", path.string());
  }
  return picture;
}

HtmlPage::HtmlPage(std::string title) : title_(std::move(title)) {}

void HtmlPage::table(const Table& table) {
  body_ += htmlTable(table);
}

void HtmlPage::picture(const Picture& picture) {
  body_ += fmt::format(
      "<figure><img alt=\"{}\" src=\"data:{};base64,{}\"><figcaption>{}</figcaption></figure>\n",
      escapedHtml(picture.caption), escapedHtml(picture.mediaType), base64(picture.bytes),
      escapedHtml(picture.caption));
}

std::string HtmlPage::html() const {
  return documentHtml({.title = title_, .style = pageFile("report.css"), .body = body_});
}

void HtmlPage::write(const std::filesystem::path& path) const {
  writeFileAtomic(path, html());
}

std::string documentHtml(const HtmlDocument& document) {
  return fmt::format(
      "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "{0}<title>{1}</title>\n<style>\n{2}</style>\n</head>\n<body>\n<h1>{1}</h1>\n{3}"
      "</body>\n</html>\n",
      document.head, escapedHtml(document.title), document.style, document.body);
}

std::string htmlTable(const Table& table, const HtmlTable& options) {
  table.requireWholeRows();
  std::string out = "<div class=\"scroll\"><table>\n";
  if (!table.caption.empty()) out += element("caption", table.caption);
  out += "<thead><tr>";
  for (const TableColumn& column : table.columns) {
    out += fmt::format("<th{}{}>{}</th>", options.rowTitles ? " scope=\"col\"" : "", sideOf(column),
                       escapedHtml(column.title));
  }
  out += "</tr></thead>\n<tbody>\n";
  for (std::size_t r = 0; r < table.rows.size(); ++r) {
    out += table.isMarked(r) ? "<tr class=\"marked\">" : "<tr>";
    for (std::size_t c = 0; c < table.rows[r].size(); ++c) {
      const std::string text = escapedHtml(table.rows[r][c].text());
      out += c == 0 && options.rowTitles
                 ? fmt::format("<th scope=\"row\" dir=\"auto\">{}</th>", text)
                 : fmt::format("<td{}>{}</td>", sideOf(table.columns[c]), text);
    }
    out += "</tr>\n";
  }
  return out + "</tbody>\n</table></div>\n";
}

std::string element(std::string_view name, std::string_view text) {
  return fmt::format("<{}>{}</{}>\n", name, escapedHtml(text), name);
}

std::string escapedHtml(std::string_view text) {
  std::string out(text);
  replaceAll(out, "&", "&amp;");
  replaceAll(out, "<", "&lt;");
  replaceAll(out, ">", "&gt;");
  replaceAll(out, "\"", "&quot;");
  return out;
}

std::string base64(std::string_view bytes) {
  constexpr std::string_view digits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  out.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    std::uint32_t group = 0;
    for (std::size_t j = 0; j < 3; ++j) {
      group = group << 8 | (i + j < bytes.size() ? static_cast<unsigned char>(bytes[i + j]) : 0);
    }
    for (int shift = 18; shift >= 0; shift -= 6) out += digits[group >> shift & 63];
  }
  const std::size_t missing = (3 - bytes.size() % 3) % 3;
  std::fill(out.end() - static_cast<std::ptrdiff_t>(missing), out.end(), '=');
  return out;
}

}  // namespace strata
