#include "core/report/svg_parts.h"

#include <fmt/format.h>

#include <cmath>

#include "core/report/html.h"

namespace strata {

std::vector<double> roundTicks(double low, double high) {
  const double rough = (high - low) / 5;
  const double power = std::pow(10, std::floor(std::log10(rough)));
  const double share = rough / power;
  const double step = power * (share < 1.5 ? 1 : share < 3.5 ? 2 : share < 7.5 ? 5 : 10);
  std::vector<double> ticks;
  for (double n = std::ceil(low / step); n * step <= high + step * 1e-9; ++n)
    ticks.push_back(n * step);
  return ticks;
}

std::string svgText(double x, double y, const char* anchor, std::string_view words,
                    std::string_view extra) {
  return fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\" {}>{}</text>\n", x, y,
                     anchor, extra, escapedHtml(words));
}

std::string svgOpen(double width, double height, std::string_view title, std::string_view style) {
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0:.0f} {1:.0f}\" width=\"{0:.0f}\" "
      "height=\"{1:.0f}\" font-size=\"13\" role=\"img\" {2}><title>{3}</title>\n",
      width, height, style, escapedHtml(title));
}

}  // namespace strata
