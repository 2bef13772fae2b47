#include "core/papers/figure_data.h"

#include <algorithm>
#include <cmath>

#include "core/base/error.h"
#include "core/papers/network_picture.h"
#include "core/report/csv.h"
#include "core/report/latex.h"
#include "core/report/report_json.h"

namespace strata {
namespace {

Json toJson(const FigurePoint& point) {
  Json json{{"x", point.x}, {"y", orNull(point.y)}, {"std", orNull(point.deviation)}};
  json["runs"] = point.runs;
  if (point.printed) {
    json["printed"] = point.printed->value;
    json["printed_text"] = point.printed->text;
  }
  if (!point.label.empty()) json["label"] = point.label;
  return json;
}

Json toJson(const FigureSeries& series) {
  Json json{{"name", series.name},
            {"points", jsonList(series.points, [](const auto& each) { return toJson(each); })}};
  if (series.level) json["level"] = true;
  if (!series.marks.empty()) json["marks"] = series.marks;
  return json;
}

Json toJson(const HeatMapChart& map) {
  return {
      {"title", map.title}, {"columns", map.columns}, {"rows", map.rows}, {"values", map.values}};
}

Json toJson(const ArcChart::Arc& arc) {
  return {{"from", arc.from}, {"to", arc.to}, {"second", arc.dashed}, {"long", arc.red}};
}

Json toJson(const ArcChart& chart) {
  return {{"title", chart.title},
          {"words", chart.words},
          {"arcs", jsonList(chart.arcs, [](const auto& each) { return toJson(each); })}};
}

Json toJson(const NamedNetwork& named) {
  return {{"name", named.name},
          {"preset", named.preset},
          {"vocabulary", {named.vocabulary.source, named.vocabulary.target}},
          {"parameters", named.network.parameters()},
          {"network", named.network.json()}};
}

Json toJson(const FigurePanel& panel) {
  return {{"key", panel.key},
          {"title", panel.title},
          {"y", panel.yTitle},
          {"dataset", panel.dataset},
          {"series", jsonList(panel.series, [](const auto& each) { return toJson(each); })}};
}

// The logarithms of the points that a logarithmic axis can show.
FigureSeries logarithmsOf(FigureSeries series) {
  for (FigurePoint& point : series.points) {
    if (point.y && *point.y > 0) {
      const double low = *point.y - point.deviation.value_or(0);
      if (point.deviation && low > 0) point.deviation = std::log10(*point.y / low);
      point.y = std::log10(*point.y);
    } else {
      point.y.reset();
    }
    if (point.printed) point.printed->value = std::log10(point.printed->value);
  }
  return series;
}

// The measured series as a line, the paper's printed points as rings in the next colour.
void addSeries(const FigureData& figure, const FigureSeries& series, LineChart& chart) {
  ChartSeries ours{.name = series.name};
  ours.dashed = series.dashed || series.level;
  ours.level = series.level;
  ours.markers = !figure.curves;
  ChartSeries printed{.name = series.name + " (paper)"};
  printed.markers = true;
  printed.level = series.level;
  printed.joined = series.level;
  printed.dashed = true;
  for (const FigurePoint& point : series.points) {
    if (point.y) {
      ours.points.emplace_back(point.x, *point.y);
      const double width = point.deviation.value_or(0);
      ours.band.emplace_back(*point.y - width, *point.y + width);
    }
    if (!point.printed) continue;
    printed.points.emplace_back(point.x, point.printed->value);
    printed.texts.push_back(point.printed->text);
  }
  if (!ours.points.empty()) {
    for (const double mark : series.marks)
      chart.marks.push_back({mark, series.name, chart.series.size()});
    chart.series.push_back(std::move(ours));
  }
  if (!printed.points.empty()) chart.series.push_back(std::move(printed));
}

Error nothingOf(const FigureData& figure) {
  return Error("{} has nothing to draw yet; missing: {}", figure.id,
               fmt::join(figure.missing, "; "));
}

}  // namespace

Json toJson(const FigureData& figure) {
  const auto each = [](const auto& part) { return toJson(part); };
  Json json{{"figure", figure.id},     {"title", figure.title},
            {"kind", figure.kind},     {"x", figure.xTitle},
            {"scorer", figure.scorer}, {"panels", jsonList(figure.panels, each)}};
  if (!figure.maps.empty()) json["maps"] = jsonList(figure.maps, each);
  if (!figure.arcs.empty()) json["arcs"] = jsonList(figure.arcs, each);
  if (!figure.networks.empty()) json["networks"] = jsonList(figure.networks, each);
  if (figure.table) json["shown"] = toJson(*figure.table);
  json["missing"] = figure.missing;
  if (!figure.countedFor.empty()) json["counted_for"] = figure.countedFor;
  json["notes"] = figure.notes;
  return json;
}

std::string NamedNetwork::title() const {
  return fmt::format("{} ({})", name, preset);
}

std::string NamedNetwork::sizeText() const {
  return fmt::format("{} parameters for vocabularies of {}", network.parameters(),
                     vocabulary.text());
}

std::string csvOf(const FigureData& figure) {
  if (figure.table) return csvTable(*figure.table);
  Table out;
  for (const char* title :
       {"figure", "panel", "series", "x", "y", "std", "runs", "printed", "label"})
    out.columns.push_back({title});
  for (const FigurePanel& panel : figure.panels) {
    for (const FigureSeries& series : panel.series) {
      for (const FigurePoint& point : series.points)
        out.rows.push_back({figure.id, panel.key, series.name, Cell::number(point.x),
                            Cell::number(point.y), Cell::number(point.deviation),
                            Cell::count(point.runs),
                            point.printed ? Cell(point.printed->text) : Cell(), point.label});
    }
  }
  for (const HeatMapChart& map : figure.maps) {
    for (std::size_t i = 0; i < map.values.size(); ++i)
      out.rows.push_back({figure.id, map.title, map.rows[i / map.columns.size()],
                          Cell::count(i % map.columns.size()), Cell::number(map.values[i]), "", "",
                          "", map.columns[i % map.columns.size()]});
  }
  for (const ArcChart& chart : figure.arcs) {
    for (const ArcChart::Arc& arc : chart.arcs)
      out.rows.push_back({figure.id, chart.title, arc.dashed ? "second" : "first",
                          Cell::count(arc.from), Cell::count(arc.to), "", "", "",
                          chart.words[arc.from] + " -> " + chart.words[arc.to]});
  }
  return csvTable(out);
}

std::vector<LineChart> chartsOf(const FigureData& figure) {
  std::vector<LineChart> charts;
  for (const FigurePanel& panel : figure.panels) {
    LineChart chart{.title = figure.title + (panel.title.empty() ? "" : ": " + panel.title),
                    .xTitle = figure.xTitle,
                    .yTitle = panel.yTitle};
    if (!panel.dataset.empty()) chart.title += " (" + panel.dataset + ")";
    if (panel.logarithmic) chart.yTitle = "log10 of the " + chart.yTitle;
    for (const FigureSeries& series : panel.series)
      addSeries(figure, panel.logarithmic ? logarithmsOf(series) : series, chart);
    for (ChartSeries& series : chart.series) {
      // Curves over another scalar can go back and forth, so they have no band.
      if (!std::ranges::is_sorted(series.points)) series.band.clear();
    }
    if (!chart.series.empty()) charts.push_back(std::move(chart));
  }
  return charts;
}

std::string latexOf(const FigureData& figure) {
  if (!figure.table) throw nothingOf(figure);
  return fmt::format("% {}\n", figure.id) + latexTable(*figure.table);
}

std::string svgOf(const FigureData& figure) {
  std::vector<SvgPicture> pictures;
  for (const LineChart& chart : chartsOf(figure)) pictures.push_back(drawn(chart));
  for (const HeatMapChart& map : figure.maps) pictures.push_back(drawn(map));
  for (const ArcChart& chart : figure.arcs) pictures.push_back(drawn(chart));
  for (const NamedNetwork& named : figure.networks) pictures.push_back(drawn(named));
  if (pictures.empty()) throw nothingOf(figure);
  return stacked(pictures).text();
}

}  // namespace strata
