#include "core/report/svg_charts.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "core/base/error.h"
#include "core/report/html.h"

namespace strata {
namespace {

constexpr double kWidth = 720, kHeight = 400, kLeft = 70, kRight = 20, kTop = 40, kBottom = 55;
// Okabe and Ito's colours: told apart also by colour-blind readers.
constexpr std::array<const char*, 8> kColours{"#0072B2", "#D55E00", "#009E73", "#CC79A7",
                                              "#E69F00", "#56B4E9", "#7F7F7F", "#B8A900"};
constexpr const char* kInk = "#777";

struct Range {
  double low = 0, high = 1;
  double at(double value, double from, double to) const {
    return from + (value - low) / (high - low) * (to - from);
  }
};

Range rangeOf(const LineChart& chart, bool x) {
  bool any = false;
  Range range;
  for (const auto& series : chart.series) {
    for (const auto& [px, py] : series.points) {
      const double value = x ? px : py;
      if (!std::isfinite(px) || !std::isfinite(py)) continue;
      range.low = any ? std::min(range.low, value) : value;
      range.high = any ? std::max(range.high, value) : value;
      any = true;
    }
  }
  if (!any) throw Error("the chart '{}' has no points", chart.title);
  if (range.low == range.high) range.high = range.low + 1;
  return range;
}

// About five round numbers that cover the range.
std::vector<double> ticks(const Range& range) {
  const double rough = (range.high - range.low) / 5;
  const double power = std::pow(10, std::floor(std::log10(rough)));
  const double step = power * (rough / power < 1.5   ? 1
                               : rough / power < 3.5 ? 2
                               : rough / power < 7.5 ? 5
                                                     : 10);
  std::vector<double> result;
  for (double tick = std::ceil(range.low / step) * step; tick <= range.high + step * 1e-9;
       tick += step)
    result.push_back(tick);
  return result;
}

std::string text(double x, double y, const char* anchor, const std::string& words,
                 const std::string& extra = "") {
  return fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\" {}>{}</text>\n", x, y,
                     anchor, extra, escapedHtml(words));
}

std::string open(double width, double height, const std::string& title) {
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0:.0f} {1:.0f}\" width=\"{0:.0f}\" "
      "height=\"{1:.0f}\" "
      "font-family=\"sans-serif\" font-size=\"13\" fill=\"{2}\" role=\"img\"><title>{3}</title>\n",
      width, height, kInk, escapedHtml(title));
}

std::string axes(const LineChart& chart, const Range& xs, const Range& ys) {
  std::string svg;
  for (const double tick : ticks(ys)) {
    const double y = ys.at(tick, kHeight - kBottom, kTop);
    svg +=
        fmt::format("<path d=\"M{:.1f} {:.1f}H{:.1f}\" stroke=\"{}\" stroke-opacity=\"0.25\"/>\n",
                    kLeft, y, kWidth - kRight, kInk);
    svg += text(kLeft - 8, y + 4, "end", fmt::format("{:.6g}", tick));
  }
  for (const double tick : ticks(xs)) {
    svg += text(xs.at(tick, kLeft, kWidth - kRight), kHeight - kBottom + 20, "middle",
                fmt::format("{:.6g}", tick));
  }
  svg += text((kLeft + kWidth - kRight) / 2, kHeight - 12, "middle", chart.xTitle);
  svg += text(18, (kTop + kHeight - kBottom) / 2, "middle", chart.yTitle,
              fmt::format("transform=\"rotate(-90 18 {:.1f})\"", (kTop + kHeight - kBottom) / 2));
  return svg + text(kWidth / 2, 22, "middle", chart.title, "font-size=\"15\" font-weight=\"bold\"");
}

// A colour of the viridis kind: perceptually even from dark blue to yellow.
std::string colourOf(double value) {
  constexpr std::array<std::array<double, 3>, 5> kStops{
      {{68, 1, 84}, {59, 82, 139}, {33, 145, 140}, {94, 201, 98}, {253, 231, 37}}};
  const double position = std::clamp(value, 0.0, 1.0) * (kStops.size() - 1);
  const auto below = std::min(static_cast<std::size_t>(position), kStops.size() - 2);
  const double share = position - static_cast<double>(below);
  std::array<int, 3> rgb{};
  for (std::size_t i = 0; i < 3; ++i) {
    rgb[i] = static_cast<int>(kStops[below][i] * (1 - share) + kStops[below + 1][i] * share + 0.5);
  }
  return fmt::format("#{:02x}{:02x}{:02x}", rgb[0], rgb[1], rgb[2]);
}

}  // namespace

std::string lineChartSvg(const LineChart& chart) {
  const Range xs = rangeOf(chart, true), ys = rangeOf(chart, false);
  std::string svg = open(kWidth, kHeight, chart.title) + axes(chart, xs, ys);
  for (std::size_t i = 0; i < chart.series.size(); ++i) {
    const char* colour = kColours[i % kColours.size()];
    std::string path;
    bool pen = false;
    for (const auto& [x, y] : chart.series[i].points) {
      const bool finite = std::isfinite(x) && std::isfinite(y);
      if (finite) {
        path += fmt::format("{}{:.1f} {:.1f}", pen ? "L" : "M", xs.at(x, kLeft, kWidth - kRight),
                            ys.at(y, kHeight - kBottom, kTop));
      }
      pen = finite;
    }
    svg += fmt::format(
        "<path d=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"1.8\" "
        "stroke-linejoin=\"round\"/>\n",
        path, colour);
    const double y = kTop + 8 + 20 * static_cast<double>(i);
    svg += fmt::format("<path d=\"M{:.1f} {:.1f}h24\" stroke=\"{}\" stroke-width=\"3\"/>\n",
                       kWidth - kRight - 190, y, colour);
    svg += text(kWidth - kRight - 160, y + 4, "start", chart.series[i].name);
  }
  return svg + "</svg>\n";
}

std::string heatMapSvg(const HeatMapChart& chart) {
  const std::size_t columns = chart.columns.size(), rows = chart.rows.size();
  if (columns == 0 || rows == 0 || chart.values.size() != columns * rows) {
    throw Error("the heat map '{}' has {} values for {} x {} cells", chart.title,
                chart.values.size(), rows, columns);
  }
  constexpr double kCell = 64, kRowHeight = 40, kLabels = 130, kHead = 60;
  const double width = kLabels + kCell * static_cast<double>(columns) + 20;
  const double height = kHead + kRowHeight * static_cast<double>(rows) + 30;
  std::string svg =
      open(width, height, chart.title) +
      text(width / 2, 20, "middle", chart.title, "font-size=\"15\" font-weight=\"bold\"");
  svg +=
      text(kLabels - 10, kHead - 8, "end", chart.yTitle) +
      text(kLabels + kCell * static_cast<double>(columns) / 2, height - 8, "middle", chart.xTitle);
  for (std::size_t c = 0; c < columns; ++c) {
    svg += text(kLabels + kCell * (static_cast<double>(c) + 0.5), kHead - 8, "middle",
                chart.columns[c]);
  }
  for (std::size_t r = 0; r < rows; ++r) {
    const double y = kHead + kRowHeight * static_cast<double>(r);
    svg += text(kLabels - 10, y + kRowHeight / 2 + 5, "end", chart.rows[r]);
    for (std::size_t c = 0; c < columns; ++c) {
      const double value = chart.values[r * columns + c],
                   x = kLabels + kCell * static_cast<double>(c);
      svg += fmt::format(
          "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" fill=\"{}\"/>\n",
          x + 1, y + 1, kCell - 2, kRowHeight - 2, colourOf(value));
      svg += text(x + kCell / 2, y + kRowHeight / 2 + 5, "middle", fmt::format("{:.2f}", value),
                  value > 0.6 ? "fill=\"#000\"" : "fill=\"#fff\"");
    }
  }
  return svg + "</svg>\n";
}

}  // namespace strata
