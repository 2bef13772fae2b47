#include "core/report/report_json.h"

#include <cmath>
#include <limits>

#include "core/base/error.h"

namespace strata {
namespace {

using Pairs = std::vector<std::pair<double, double>>;

Json toJson(const Cell& cell) {
  const auto value = cell.sortKey();
  if (!value) return cell.text();
  return {{"text", cell.text()}, {"value", *value}};
}

Cell cellFrom(const Json& json) {
  if (json.is_string()) return json.get<std::string>();
  return Cell::shown(json.at("text").get<std::string>(), json.at("value").get<double>());
}

Json number(double value) {
  return std::isfinite(value) ? Json(value) : Json(nullptr);
}

double numberFrom(const Json& json) {
  return json.is_null() ? std::numeric_limits<double>::quiet_NaN() : json.get<double>();
}

Json pairsJson(const Pairs& pairs) {
  return jsonList(pairs, [](const auto& pair) {
    return Json::array({number(pair.first), number(pair.second)});
  });
}

Pairs pairsFrom(const Json& json) {
  Pairs pairs;
  for (const Json& pair : json) pairs.emplace_back(numberFrom(pair.at(0)), numberFrom(pair.at(1)));
  return pairs;
}

// The library's errors name neither the text nor what to do.
template <typename Value, typename Read>
Value reading(const char* what, const Read& read) {
  try {
    return read();
  } catch (const nlohmann::json::exception& error) {
    throw Error("{} of another version of strata-run: {}", what, error.what());
  }
}

}  // namespace

Json toJson(const Table& table) {
  return {
      {"caption", table.caption},
      {"columns",
       jsonList(table.columns,
                [](const TableColumn& column) {
                  return Json{{"title", column.title}, {"right", column.align == Align::kRight}};
                })},
      {"rows", jsonList(table.rows,
                        [](const auto& row) {
                          return jsonList(row, [](const Cell& cell) { return toJson(cell); });
                        })},
      {"marked", table.marked}};
}

Table tableFrom(const Json& json) {
  return reading<Table>("a table", [&] {
    Table table{.caption = json.at("caption").get<std::string>()};
    for (const Json& column : json.at("columns"))
      table.columns.push_back({column.at("title").get<std::string>(),
                               column.at("right").get<bool>() ? Align::kRight : Align::kLeft});
    for (const Json& row : json.at("rows")) {
      auto& cells = table.rows.emplace_back();
      for (const Json& cell : row) cells.push_back(cellFrom(cell));
    }
    table.marked = json.at("marked").get<std::vector<std::size_t>>();
    table.requireWholeRows();
    return table;
  });
}

Json toJson(const LineChart& chart) {
  const auto series = [](const ChartSeries& each) {
    return Json{{"name", each.name},
                {"points", pairsJson(each.points)},
                {"band", pairsJson(each.band)},
                {"texts", each.texts},
                {"dashed", each.dashed},
                {"level", each.level},
                {"markers", each.markers},
                {"joined", each.joined}};
  };
  const auto mark = [](const ChartMark& each) {
    return Json{{"x", each.x}, {"label", each.label}, {"series", each.series}};
  };
  return {{"title", chart.title},
          {"x", chart.xTitle},
          {"y", chart.yTitle},
          {"series", jsonList(chart.series, series)},
          {"marks", jsonList(chart.marks, mark)}};
}

LineChart lineChartFrom(const Json& json) {
  return reading<LineChart>("a chart", [&] {
    LineChart chart{.title = json.at("title").get<std::string>(),
                    .xTitle = json.at("x").get<std::string>(),
                    .yTitle = json.at("y").get<std::string>()};
    for (const Json& each : json.at("series"))
      chart.series.push_back({.name = each.at("name").get<std::string>(),
                              .points = pairsFrom(each.at("points")),
                              .band = pairsFrom(each.at("band")),
                              .texts = each.at("texts").get<std::vector<std::string>>(),
                              .dashed = each.at("dashed").get<bool>(),
                              .level = each.at("level").get<bool>(),
                              .markers = each.at("markers").get<bool>(),
                              .joined = each.at("joined").get<bool>()});
    for (const Json& each : json.at("marks"))
      chart.marks.push_back({each.at("x").get<double>(), each.at("label").get<std::string>(),
                             each.at("series").get<std::size_t>()});
    return chart;
  });
}

}  // namespace strata
