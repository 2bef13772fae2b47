#include "core/report/svg_charts.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "core/base/error.h"
#include "core/report/svg_parts.h"
#include "core/report/table.h"

namespace strata {
namespace {

constexpr double kWidth = 720, kHeight = 400, kLeft = 70, kRight = 20, kTop = 40, kBottom = 55;
constexpr double kLegendRow = 20;
constexpr const char* kInk = "#777";
constexpr const char* kStyle = "font-family=\"sans-serif\" font-size=\"13\" fill=\"#777\"";
constexpr const char* kTitle = "font-size=\"15\" font-weight=\"bold\"";

Extent extentOf(const LineChart& chart, bool x) {
  Extent extent;
  for (const auto& series : chart.series) {
    for (const auto& [px, py] : series.points) {
      if (std::isfinite(px) && std::isfinite(py) && !(x && series.level)) extent.add(x ? px : py);
    }
    if (x) continue;
    for (const auto& [low, high] : series.band) {
      if (!extent.any || !std::isfinite(low) || !std::isfinite(high)) continue;
      extent.add(low);
      extent.add(high);
    }
  }
  return extent;
}

SvgAxis axisOf(const LineChart& chart, bool x) {
  const double from = x ? kLeft : kHeight - kBottom, to = x ? kWidth - kRight : kTop;
  const auto [any, low, high] = extentOf(chart, x);
  if (!any && x && !chart.series.empty()) return {0, 1, from, to};  // only horizontal lines
  if (!any) throw Error("the chart '{}' has no points", chart.title);
  return {low, low == high ? low + 1 : high, from, to};
}

struct Frame {
  SvgAxis x, y;
};

std::string axes(const LineChart& chart, const Frame& frame) {
  std::string svg;
  for (const double tick : frame.y.ticks()) {
    const double y = frame.y.at(tick);
    svg +=
        fmt::format("<path d=\"M{:.1f} {:.1f}H{:.1f}\" stroke=\"{}\" stroke-opacity=\"0.25\"/>\n",
                    kLeft, y, kWidth - kRight, kInk);
    svg += svgText(kLeft - 8, y + 4, "end", fmt::format("{:.6g}", tick));
  }
  for (const double tick : frame.x.ticks()) {
    svg += svgText(frame.x.at(tick), kHeight - kBottom + 20, "middle", fmt::format("{:.6g}", tick));
  }
  svg += svgText((kLeft + kWidth - kRight) / 2, kHeight - 12, "middle", chart.xTitle);
  svg += svgSideTitle(18, (kTop + kHeight - kBottom) / 2, chart.yTitle);
  return svg + svgText(kWidth / 2, 22, "middle", chart.title, kTitle);
}

// A viridis-like colour scale: perceptually uniform from dark blue to yellow.
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

std::string bandOf(const ChartSeries& series, const Frame& frame, const char* colour) {
  if (series.band.size() != series.points.size() || series.band.size() < 2) return "";
  std::string upper, lower;
  for (std::size_t i = 0; i < series.points.size(); ++i) {
    const auto& [low, high] = series.band[i];
    const double x = frame.x.at(series.points[i].first);
    if (!std::isfinite(low) || !std::isfinite(high) || !std::isfinite(x)) return "";
    upper += fmt::format("{}{:.1f} {:.1f}", upper.empty() ? "M" : "L", x, frame.y.at(high));
    lower = fmt::format("L{:.1f} {:.1f}", x, frame.y.at(low)) + lower;
  }
  return fmt::format("<path d=\"{}{}Z\" fill=\"{}\" fill-opacity=\"0.18\"/>\n", upper, lower,
                     colour);
}

std::string markersOf(const ChartSeries& series, const Frame& frame, const char* colour) {
  std::string svg;
  for (std::size_t i = 0; i < series.points.size(); ++i) {
    const auto& [x, y] = series.points[i];
    if (!std::isfinite(x) || !std::isfinite(y)) continue;
    const bool hollow = !series.joined;
    svg +=
        fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"3.5\" fill=\"{}\" stroke=\"{}\"/>\n",
                    frame.x.at(x), frame.y.at(y), hollow ? "none" : colour, colour);
    if (series.joined && series.band.size() == series.points.size())
      svg +=
          fmt::format("<path d=\"M{0:.1f} {1:.1f}V{2:.1f}\" stroke=\"{3}\"/>\n", frame.x.at(x),
                      frame.y.at(series.band[i].first), frame.y.at(series.band[i].second), colour);
  }
  return svg;
}

// Points without a neighbour, to which no line goes.
std::string lonePointsOf(const ChartSeries& series, const Frame& frame, const char* colour) {
  const auto isFinite = [&](std::size_t i) {
    return i < series.points.size() && std::isfinite(series.points[i].first) &&
           std::isfinite(series.points[i].second);
  };
  std::string svg;
  for (std::size_t i = 0; i < series.points.size(); ++i) {
    if (!isFinite(i) || isFinite(i + 1) || (i > 0 && isFinite(i - 1))) continue;
    svg += fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"2.5\" fill=\"{}\"/>\n",
                       frame.x.at(series.points[i].first), frame.y.at(series.points[i].second),
                       colour);
  }
  return svg;
}

std::string curveOf(const ChartSeries& series, const Frame& frame) {
  if (series.level && !series.points.empty() && std::isfinite(series.points[0].second))
    return fmt::format("M{:.1f} {:.1f}H{:.1f}", kLeft, frame.y.at(series.points[0].second),
                       kWidth - kRight);
  std::string path;
  bool pen = false;
  for (const auto& [x, y] : series.points) {
    const bool finite = std::isfinite(x) && std::isfinite(y);
    if (finite)
      path += fmt::format("{}{:.1f} {:.1f}", pen ? "L" : "M", frame.x.at(x), frame.y.at(y));
    pen = finite;
  }
  return path;
}

// Below the chart, where it hides no curve; two per row.
std::string legendEntry(const ChartSeries& series, std::size_t index) {
  const double x = kLeft + (index % 2 == 0 ? 0 : (kWidth - kLeft - kRight) / 2);
  const double y = kHeight + 4 + kLegendRow * static_cast<double>(index / 2);
  const char* colour = svgColour(index);
  std::string key;
  if (series.joined) {
    key = fmt::format("<path d=\"M{:.1f} {:.1f}h24\" stroke=\"{}\" stroke-width=\"3\"{}/>\n", x, y,
                      colour, series.dashed ? " stroke-dasharray=\"6 4\"" : "");
  } else {
    key =
        fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"3.5\" fill=\"none\" stroke=\"{}\"/>\n",
                    x + 12, y, colour);
  }
  return key + svgText(x + 30, y + 4, "start", series.name);
}

}  // namespace

SvgPicture drawn(const LineChart& chart) {
  const Frame frame{axisOf(chart, true), axisOf(chart, false)};
  const double legend = kLegendRow * static_cast<double>((chart.series.size() + 1) / 2);
  SvgPicture picture{kWidth, kHeight + legend, chart.title, kStyle};
  std::string& svg = picture.body;
  svg = axes(chart, frame);
  for (std::size_t i = 0; i < chart.series.size(); ++i) {
    const ChartSeries& series = chart.series[i];
    const char* colour = svgColour(i);
    const char* dashes = series.dashed ? " stroke-dasharray=\"6 4\"" : "";
    svg += bandOf(series, frame, colour);
    if (series.joined)
      svg += fmt::format(
          "<path d=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"1.8\" "
          "stroke-linejoin=\"round\"{}/>\n",
          curveOf(series, frame), colour, dashes);
    if (series.markers && !series.level)
      svg += markersOf(series, frame, colour);
    else if (!series.level)
      svg += lonePointsOf(series, frame, colour);
    svg += legendEntry(series, i);
  }
  for (const ChartMark& mark : chart.marks) {
    if (mark.x < frame.x.low || mark.x > frame.x.high) continue;
    svg +=
        fmt::format("<path d=\"M{:.1f} {:.1f}V{:.1f}\" stroke=\"{}\" stroke-dasharray=\"2 3\"/>\n",
                    frame.x.at(mark.x), kTop, kHeight - kBottom, svgColour(mark.series));
    svg += svgText(frame.x.at(mark.x) + 4, kHeight - kBottom - 6, "start", mark.label);
  }
  return picture;
}

SvgPicture drawn(const HeatMapChart& chart) {
  const std::size_t columns = chart.columns.size(), rows = chart.rows.size();
  if (columns == 0 || rows == 0 || chart.values.size() != columns * rows) {
    throw Error("the heat map '{}' has {} values, expected {} x {} (rows x columns)", chart.title,
                chart.values.size(), rows, columns);
  }
  constexpr double kCell = 64, kRowHeight = 40, kLabels = 130;
  std::size_t longest = 0;
  for (const std::string& column : chart.columns) longest = std::max(longest, displayWidth(column));
  const bool slanted = longest > 9;  // too wide for a cell
  const double head = slanted ? 50 + 5.5 * static_cast<double>(longest) : 60;
  const double width = kLabels + kCell * static_cast<double>(columns) + (slanted ? head - 50 : 20);
  const double height = head + kRowHeight * static_cast<double>(rows) + 30;
  SvgPicture picture{width, height, chart.title, kStyle};
  std::string& svg = picture.body;
  svg = svgText(width / 2, 20, "middle", chart.title, kTitle);
  svg += svgText(kLabels - 10, head - 8, "end", chart.yTitle) +
         svgText(kLabels + kCell * static_cast<double>(columns) / 2, height - 8, "middle",
                 chart.xTitle);
  for (std::size_t c = 0; c < columns; ++c) {
    const double x = kLabels + kCell * (static_cast<double>(c) + 0.5), y = head - 8;
    svg += svgText(x, y, slanted ? "start" : "middle", chart.columns[c],
                   slanted ? fmt::format("transform=\"rotate(-45 {:.1f} {:.1f})\"", x, y) : "");
  }
  for (std::size_t r = 0; r < rows; ++r) {
    const double y = head + kRowHeight * static_cast<double>(r);
    svg += svgText(kLabels - 10, y + kRowHeight / 2 + 5, "end", chart.rows[r]);
    for (std::size_t c = 0; c < columns; ++c) {
      const double value = chart.values[r * columns + c],
                   x = kLabels + kCell * static_cast<double>(c);
      if (std::isnan(value)) continue;
      svg += fmt::format(
          "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" fill=\"{}\"/>\n",
          x + 1, y + 1, kCell - 2, kRowHeight - 2, colourOf(value));
      svg += svgText(x + kCell / 2, y + kRowHeight / 2 + 5, "middle", fmt::format("{:.2f}", value),
                     value > 0.6 ? "fill=\"#000\"" : "fill=\"#fff\"");
    }
  }
  return picture;
}

SvgPicture drawn(const ArcChart& chart) {
  if (chart.words.empty()) throw Error("the picture '{}' has no words", chart.title);
  constexpr double kWord = 80, kArc = 16;
  const double width = std::max(300.0, 40 + kWord * static_cast<double>(chart.words.size()));
  std::size_t longest = 1;
  for (const ArcChart::Arc& arc : chart.arcs) longest = std::max(longest, arc.from - arc.to);
  const double base = 50 + kArc * static_cast<double>(longest);
  SvgPicture picture{width, base + 40, chart.title, kStyle};
  std::string& svg = picture.body;
  svg = svgText(width / 2, 22, "middle", chart.title, kTitle);
  const auto at = [](std::size_t word) { return 20 + kWord * (static_cast<double>(word) + 0.5); };
  for (std::size_t w = 0; w < chart.words.size(); ++w)
    svg += svgText(at(w), base + 20, "middle", chart.words[w]);
  for (const ArcChart::Arc& arc : chart.arcs) {
    const double height = 2 * kArc * static_cast<double>(arc.from - arc.to);
    svg += fmt::format(
        "<path d=\"M{0:.1f} {1:.1f}Q{2:.1f} {3:.1f} {4:.1f} {1:.1f}\" fill=\"none\" "
        "stroke=\"{5}\"{6}/>"
        "\n",
        at(arc.from), base, (at(arc.from) + at(arc.to)) / 2, base - height, at(arc.to),
        arc.red ? "#D55E00" : "#0072B2", arc.dashed ? " stroke-dasharray=\"5 4\"" : "");
  }
  return picture;
}

}  // namespace strata
