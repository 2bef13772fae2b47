#include "ui/data/paper_values.h"

#include "core/base/error.h"
#include "ui/data/text.h"

namespace strata::ui {
namespace {

QString textAt(const Json& json, const char* key) {
  const auto at = json.find(key);
  return at == json.end() || !at->is_string() ? QString() : qs(at->get<std::string>());
}

QStringList textsAt(const Json& json, const char* key) {
  return json.contains(key) ? qs(json.at(key).get<std::vector<std::string>>()) : QStringList();
}

PaperRunState runFrom(const Json& json) {
  return {.name = textAt(json, "name"),
          .rows = textsAt(json, "rows"),
          .status = textAt(json, "status"),
          .maxUpdates = json.at("max_updates").get<qint64>(),
          .missing = json.at("missing").get<bool>()};
}

PaperCellState cellFrom(const Json& json, const Json& column) {
  PaperCellState cell{.column = textAt(column, "title"), .missing = textAt(json, "missing")};
  if (!json.contains("runs")) return cell;
  for (const Json& run : json.at("runs"))
    cell.runs << PaperCellState::Run{textAt(run, "name"), textAt(run, "text"),
                                     run.at("seed").get<qint64>()};
  return cell;
}

PaperRowState rowFrom(const Json& json, const Json& columns) {
  PaperRowState row{.name = textAt(json, "name"), .quoted = textAt(json, "quoted")};
  if (!json.contains("cells")) return row;
  for (const Json& column : columns) {
    const auto cell = json.at("cells").find(column.at("key").get<std::string>());
    if (cell != json.at("cells").end()) row.cells << cellFrom(*cell, column);
  }
  return row;
}

PaperArcs arcsFrom(const Json& json) {
  PaperArcs chart{.title = textAt(json, "title"), .words = textsAt(json, "words"), .arcs = {}};
  for (const Json& arc : json.at("arcs"))
    chart.arcs.push_back({.from = arc.at("from").get<int>(),
                          .to = arc.at("to").get<int>(),
                          .weight = 1,
                          .second = arc.at("second").get<bool>()});
  return chart;
}

PaperResult::Map mapFrom(const Json& json) {
  const auto values = json.at("values").get<std::vector<double>>();
  return {textAt(json, "title"),
          textsAt(json, "columns"),
          {.title = textAt(json, "title"),
           .rows = textsAt(json, "rows"),
           .values = {values.begin(), values.end()}}};
}

PaperNetwork networkFrom(const Json& json) {
  const QString preset = textAt(json, "preset");
  return {.title = QStringLiteral("%1 (%2)").arg(textAt(json, "name"), preset),
          .preset = preset,
          .network = Network::read(json.at("network"))};
}

void readTable(const Json& json, PaperResult& result) {
  result.id = textAt(json, "table");
  result.shown = tableFrom(json.at("shown"));
  for (const Json& row : json.at("rows")) result.rows << rowFrom(row, json.at("columns"));
  result.notes = textsAt(json, "footnotes");
}

void readFigure(const Json& json, PaperResult& result) {
  result.id = textAt(json, "figure");
  result.isTable = false;
  for (const Json& chart : json.at("charts")) result.charts.push_back(lineChartFrom(chart));
  for (const Json& map : json.value("maps", Json::array())) result.maps << mapFrom(map);
  for (const Json& arcs : json.value("arcs", Json::array())) result.arcs << arcsFrom(arcs);
  for (const Json& each : json.value("networks", Json::array()))
    result.networks << networkFrom(each);
  if (json.contains("shown")) result.shown = tableFrom(json.at("shown"));
  result.lacks = textsAt(json, "missing");
  result.notes = textsAt(json, "notes");
  if (json.contains("counted_for")) result.notes.prepend(textAt(json, "counted_for"));
}

Json documentOf(const QByteArray& text) {
  return parseJson({text.constData(), std::size_t(text.size())}, "strata-run paper");
}

}  // namespace

QStringList PaperChoice::command(const char* verb, const QStringList& chosen) const {
  QStringList arguments{QStringLiteral("paper"), QString::fromLatin1(verb), id};
  if (!dataset.isEmpty()) arguments << QStringLiteral("--data") << dataset;
  if (!suffix.isEmpty()) arguments << QStringLiteral("--suffix") << suffix;
  arguments << QStringLiteral("--seeds") << QString::number(seeds);
  for (const QString& row : chosen) arguments << QStringLiteral("--rows") << row;
  return arguments;
}

QVector<PaperItem> paperItemsFrom(const QByteArray& text) {
  try {
    const Json json = documentOf(text);
    QVector<PaperItem> items;
    for (const Json& table : json.at("tables"))
      items << PaperItem{textAt(table, "id"), textAt(table, "title"), textAt(table, "recipe")};
    for (const Json& figure : json.at("figures"))
      items << PaperItem{textAt(figure, "id"), textAt(figure, "title"), {}, false};
    return items;
  } catch (const nlohmann::json::exception& error) {
    throw Error("strata-run paper list is of another version: {}", error.what());
  }
}

PaperResult paperResultFrom(const QByteArray& text) {
  try {
    const Json json = documentOf(text);
    PaperResult result{.title = textAt(json, "title")};
    json.contains("table") ? readTable(json, result) : readFigure(json, result);
    const Json& work = json.at("work");
    for (const Json& run : work.at("runs")) result.runs << runFrom(run);
    result.missing = textsAt(work, "missing");
    result.toScore = work.at("to_score").get<int>();
    return result;
  } catch (const nlohmann::json::exception& error) {
    throw Error("strata-run paper show is of another version: {}", error.what());
  }
}

}  // namespace strata::ui
