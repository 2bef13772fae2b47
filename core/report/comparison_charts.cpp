#include "core/report/comparison_charts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/report/svg_parts.h"
#include "core/report/table.h"

namespace strata {
namespace {

constexpr double kPageWidth = 720;

void addScore(Extent& extent, double score, const std::optional<ConfidenceInterval>& interval) {
  if (std::isnan(score)) return;
  extent.add(score);
  if (!interval) return;
  extent.add(interval->mean - interval->halfWidth);
  extent.add(interval->mean + interval->halfWidth);
}

// Values that differ by rounding only, as the bounds of a perfect score, count as one.
SvgAxis axisWithMargins(const Extent& extent, double from, double to) {
  const double range = extent.high - extent.low,
               least = 1e-9 * std::max(std::abs(extent.low), std::abs(extent.high));
  const double margin = range > least ? range * 0.06 : 1;
  return {extent.low - margin, extent.high + margin, from, to};
}

// Attributes of a picture: text has the page's colour.
constexpr const char* kPageStyle = "font-size=\"13\" fill=\"currentColor\"";

std::string line(double x1, double y1, double x2, double y2, const std::string& style) {
  return fmt::format("<path d=\"M{:.1f} {:.1f}L{:.1f} {:.1f}\" {}/>\n", x1, y1, x2, y2, style);
}

const std::string kGrid = "stroke=\"currentColor\" stroke-opacity=\"0.2\"";

// Shortens a text to this many columns.
std::string shortened(const std::string& name, std::size_t columns) {
  std::string kept = name;
  if (displayWidth(kept) <= columns) return kept;
  while (!kept.empty() && displayWidth(kept) >= columns) {
    while (kept.size() > 1 && (static_cast<unsigned char>(kept.back()) & 0xC0U) == 0x80U)
      kept.pop_back();
    kept.pop_back();
  }
  return kept + "\u2026";
}

std::string marker(std::size_t system, double x, double y) {
  constexpr double r = 4.5;
  const char* colour = svgColour(system);
  switch (system / kSvgColours.size() % 3) {
    case 0:
      return fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"{}\" fill=\"{}\"/>\n", x, y, r,
                         colour);
    case 1:
      return fmt::format(
          "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{}\" height=\"{}\" fill=\"{}\"/>\n", x - r,
          y - r, 2 * r, 2 * r, colour);
    default:
      return fmt::format("<path d=\"M{:.1f} {:.1f}l{} {}l-{} {}l-{} -{}Z\" fill=\"{}\"/>\n", x,
                         y - r, r, r, r, r, r, r, colour);
  }
}

// Below a chart, two per row.
std::string legendOf(const Comparison& comparison, double y) {
  std::string svg;
  for (std::size_t s = 0; s < comparison.systems.size(); ++s) {
    const double x = s % 2 == 0 ? 70 : kPageWidth / 2 + 20;
    const double row = y + 20 * static_cast<double>(s / 2);
    svg += marker(s, x, row) + svgText(x + 12, row + 4, "start", comparison.systems[s].name);
  }
  return svg;
}

// One bucket's points, side by side around its middle.
std::string pointsOf(const BucketTable& buckets, std::size_t b, const SvgAxis& ys,
                     std::pair<double, double> place) {
  std::string svg;
  const auto systems = static_cast<double>(buckets.scores.size());
  const double step = std::min(16.0, place.second * 0.8 / systems);
  for (std::size_t s = 0; s < buckets.scores.size(); ++s) {
    const BucketScore& score = buckets.scores[s][b];
    if (score.count == 0 || std::isnan(score.score)) continue;
    const double x = place.first + step * (static_cast<double>(s) - (systems - 1) / 2);
    if (score.interval) {
      const auto& [mean, half] = *score.interval;
      svg += line(x, ys.at(mean - half), x, ys.at(mean + half),
                  fmt::format("stroke=\"{}\" stroke-width=\"1.6\"", svgColour(s)));
    }
    svg += marker(s, x, ys.at(score.score));
  }
  return svg;
}

}  // namespace

std::string scoresSvg(const Comparison& comparison, std::size_t metric) {
  const MetricComparison& compared = comparison.metrics[metric];
  constexpr double kRow = 26, kLeft = 190, kTop = 12;
  Extent extent;
  for (const SystemScore& system : compared.systems)
    addScore(extent, system.score, system.interval);
  const SvgAxis xs = axisWithMargins(extent, kLeft, kPageWidth - 20);
  const double bottom = kTop + kRow * static_cast<double>(compared.systems.size());
  const std::string name = compared.metric->name();
  SvgPicture picture{kPageWidth, bottom + 46, name + " of every system with its 95 % interval",
                     kPageStyle};
  std::string& svg = picture.body;
  for (const double tick : xs.ticks()) {
    svg += line(xs.at(tick), kTop, xs.at(tick), bottom, kGrid);
    svg += svgText(xs.at(tick), bottom + 18, "middle", fmt::format("{:.6g}", tick));
  }
  for (std::size_t s = 0; s < compared.systems.size(); ++s) {
    const SystemScore& system = compared.systems[s];
    const double y = kTop + kRow * (static_cast<double>(s) + 0.5);
    svg += svgText(kLeft - 12, y + 4, "end", shortened(comparison.systems[s].name, 24),
                   s == comparison.baseline ? "font-weight=\"bold\"" : "");
    if (system.interval) {
      const auto& [mean, half] = *system.interval;
      svg += line(xs.at(mean - half), y, xs.at(mean + half), y,
                  fmt::format("stroke=\"{}\" stroke-width=\"2\"", svgColour(s)));
    }
    if (!std::isnan(system.score)) svg += marker(s, xs.at(system.score), y);
  }
  svg += svgText((kLeft + kPageWidth - 20) / 2, bottom + 38, "middle", name);
  return picture.text();
}

std::string bucketsSvg(const Comparison& comparison, const BucketTable& buckets) {
  constexpr double kLeft = 60, kTop = 12, kBottom = 250;
  Extent extent;
  for (const auto& system : buckets.scores) {
    for (const BucketScore& score : system) {
      if (score.count > 0) addScore(extent, score.score, score.interval);
    }
  }
  const SvgAxis ys = axisWithMargins(extent, kBottom, kTop);
  const std::string name = comparison.first().metric->name();
  const double rows = static_cast<double>((comparison.systems.size() + 1) / 2);
  SvgPicture picture{kPageWidth, kBottom + 70 + 20 * rows, buckets.title + ": " + name, kPageStyle};
  std::string& svg = picture.body;
  for (const double tick : ys.ticks()) {
    svg += line(kLeft, ys.at(tick), kPageWidth - 10, ys.at(tick), kGrid);
    svg += svgText(kLeft - 8, ys.at(tick) + 4, "end", fmt::format("{:.6g}", tick));
  }
  const double place = (kPageWidth - 10 - kLeft) / static_cast<double>(buckets.labels.size());
  for (std::size_t b = 0; b < buckets.labels.size(); ++b) {
    const double middle = kLeft + place * (static_cast<double>(b) + 0.5);
    svg += svgText(middle, kBottom + 20, "middle", buckets.labels[b]);
    if (b > 0) svg += line(middle - place / 2, kTop, middle - place / 2, kBottom, kGrid);
    svg += pointsOf(buckets, b, ys, {middle, place});
  }
  svg += svgText((kLeft + kPageWidth - 10) / 2, kBottom + 40, "middle", buckets.title);
  svg += svgSideTitle(14, (kTop + kBottom) / 2, name);
  svg += legendOf(comparison, kBottom + 62);
  return picture.text();
}

std::string differencesSvg(const Comparison& comparison, std::size_t system) {
  constexpr double kChart = 340, kTop = 44, kBottom = 150, kLeft = 12;
  const DifferenceHistogram histogram = comparison.differenceHistogram(system);
  const std::string& name = comparison.systems[system].name;
  SvgPicture picture{kChart, kBottom + 24, "Sentence differences of " + name, kPageStyle};
  std::string& svg = picture.body;
  svg += svgText(kLeft, 16, "start", shortened(name, 40), "font-weight=\"bold\"");
  svg += svgText(kLeft, 34, "start",
                 fmt::format("{} better, {} equal, {} worse", histogram.better, histogram.equal,
                             histogram.worse));
  const std::size_t most = *std::ranges::max_element(histogram.counts);
  const std::size_t bins = histogram.counts.size();
  const double width = (kChart - 2 * kLeft) / static_cast<double>(bins);
  const SvgAxis ys{0, static_cast<double>(std::max<std::size_t>(1, most)), kBottom, kTop};
  for (std::size_t b = 0; b < bins; ++b) {
    const double y = ys.at(static_cast<double>(histogram.counts[b]));
    const auto middle = static_cast<double>(b) - static_cast<double>(bins - 1) / 2;
    const std::string colour = middle == 0                           ? "currentColor"
                               : comparison.first().improves(middle) ? kSvgColours[0]
                                                                     : kSvgColours[1];
    svg += fmt::format(
        "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" fill=\"{}\" "
        "fill-opacity=\"0.75\"><title>{} sentences around {:+.1f}</title></rect>\n",
        kLeft + width * static_cast<double>(b), y, width - 1, kBottom - y, colour,
        histogram.counts[b], middle * histogram.width);
  }
  const double end = histogram.width * static_cast<double>(bins) / 2;
  svg += line(kLeft, kBottom, kChart - kLeft, kBottom, kGrid);
  svg += svgText(kLeft, kBottom + 18, "start", fmt::format("{:+.1f}", -end));
  svg += svgText(kChart / 2, kBottom + 18, "middle", "0");
  svg += svgText(kChart - kLeft, kBottom + 18, "end", fmt::format("{:+.1f}", end));
  return picture.text();
}

}  // namespace strata
