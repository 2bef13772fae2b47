#include "core/report/svg_parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/report/html.h"

namespace strata {

std::vector<double> SvgAxis::ticks() const {
  const double rough = (high - low) / 5;
  const double power = std::pow(10, std::floor(std::log10(rough)));
  const double share = rough / power;
  const double step = power * (share < 1.5 ? 1 : share < 3.5 ? 2 : share < 7.5 ? 5 : 10);
  const double first = std::ceil(low / step);
  std::vector<double> ticks;
  // Never more than 8 fit; steps below the numbers' precision would not end.
  for (int i = 0; i < 10 && (first + i) * step <= high + step * 1e-9; ++i)
    ticks.push_back((first + i) * step);
  return ticks;
}

void Extent::add(double value) {
  if (!std::isfinite(value)) return;
  low = any ? std::min(low, value) : value;
  high = any ? std::max(high, value) : value;
  any = true;
}

std::string svgText(double x, double y, const char* anchor, std::string_view words,
                    std::string_view extra) {
  return fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\" {}>{}</text>\n", x, y,
                     anchor, extra, escapedHtml(words));
}

std::string svgSideTitle(double x, double y, std::string_view words) {
  return svgText(x, y, "middle", words, fmt::format("transform=\"rotate(-90 {} {:.1f})\"", x, y));
}

std::string SvgPicture::text() const {
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0:.0f} {1:.0f}\" width=\"{0:.0f}\" "
      "height=\"{1:.0f}\" role=\"img\" {2}><title>{3}</title>\n{4}</svg>\n",
      width, height, style, escapedHtml(title), body);
}

SvgPicture stacked(const std::vector<SvgPicture>& pictures) {
  SvgPicture all{.title = pictures.empty() ? "" : pictures.front().title, .style = ""};
  // Groups instead of nested svg elements, which some viewers do not draw.
  for (const SvgPicture& picture : pictures) {
    all.body += fmt::format("<g transform=\"translate(0 {:.0f})\" {}><title>{}</title>\n{}</g>\n",
                            all.height, picture.style, escapedHtml(picture.title), picture.body);
    all.width = std::max(all.width, picture.width);
    all.height += picture.height;
  }
  return all;
}

}  // namespace strata
