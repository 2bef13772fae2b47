#include <fmt/format.h>

#include "core/papers/paper_values.h"
#include "core/report/csv.h"
#include "core/report/latex.h"

namespace strata {
namespace {

Json toJson(const RunsComparison& gain, const std::optional<double>& printed) {
  return {{"difference", gain.difference},
          {"low", gain.low},
          {"high", gain.high},
          {"p_value", gain.pValue},
          {"runs", gain.systemRuns},
          {"baseline_runs", gain.baselineRuns},
          {"direction", nameOf(directionOf(gain, printed))},
          {"test", "hierarchical bootstrap over runs and sentences"}};
}

struct PrintedFigures {
  std::optional<double> value, gain;
};

Json toJson(const MeasuredCell& cell, const PrintedFigures& printed) {
  if (!cell.missing.empty()) return {{"missing", cell.missing}};
  Json runs = Json::array();
  for (const MeasuredRun& run : cell.runs) {
    Json entry{{"name", run.name}, {"seed", run.seed}, {"status", run.statusText()}};
    entry["value"] = orNull(run.value);
    if (run.diverged) entry["converged"] = false;
    entry["hours"] = run.hours;
    entry["tokens_per_second"] = run.tokensPerSecond;
    runs.push_back(std::move(entry));
  }
  Json json{{"dataset", cell.dataset}, {"set", cell.set}, {"seeds", cell.values().size()}};
  json["mean"] = orNull(cell.mean());
  json["std"] = orNull(cell.deviation());
  json["runs"] = std::move(runs);
  json["paper_setup"] = cell.paperSetup;
  if (cell.paperSetup && printed.value && cell.mean())
    json["difference"] = *cell.mean() - *printed.value;
  if (cell.gain) json["gain"] = toJson(*cell.gain, printed.gain);
  if (!cell.beside.empty()) json["beside"] = cell.beside;
  if (cell.share < 1) json["share"] = cell.share;
  return json;
}

Json columnJson(const PaperColumn& column) {
  Json json{{"key", column.key}, {"title", column.title}};
  if (column.scores()) json.update({{"dataset", column.dataset}, {"set", column.set}});
  if (column.valid) json["valid"] = true;
  if (!column.average.empty()) json["average"] = column.average;
  if (!column.measure.empty()) json["measure"] = column.measure;
  if (!column.suffix.empty()) json["suffix"] = column.suffix;
  if (!column.decode.plain()) json["decode"] = toJson(column.decode);
  if (!column.size.empty()) json["size"] = column.size;
  return json;
}

Json rowJson(const MeasuredTable& measured, std::size_t r) {
  const PaperTable& table = measured.table;
  const PaperRow& row = table.rows[r];
  const MeasuredRow& ours = measured.rows[r];
  Json json{{"name", row.name}};
  json["preset"] = row.runs() ? Json(ours.preset) : Json(nullptr);
  Json printed = Json::object(), recomputed = Json::object(), gains = Json::object();
  Json cells = Json::object();
  bool any = false;
  for (std::size_t c = 0; c < table.columns.size(); ++c) {
    const PaperColumn& column = table.columns[c];
    const auto value = printedAt(row, column.key);
    printed[column.key] = orNull(value);
    if (const auto mean = table.recomputed(row, column)) recomputed[column.key] = *mean;
    const auto gain = printedGain(table, row, column.key);
    if (gain) gains[column.key] = *gain;
    if (!row.runs()) continue;
    cells[column.key] = toJson(ours.cells[c], {value, gain});
    any = any || ours.cells[c].mean().has_value();
  }
  json["printed"] = std::move(printed);
  json["parameters"] = orNull(ours.parameters);
  json["measured"] = any ? cells : Json(nullptr);
  json["printed_parameters"] = orNull(row.parameters);
  if (!ours.columnParameters.empty()) json["column_parameters"] = ours.columnParameters;
  if (!recomputed.empty()) json["recomputed"] = std::move(recomputed);
  if (!gains.empty()) json["printed_gain"] = std::move(gains);
  if (!row.baseline.empty()) json["baseline"] = row.baseline;
  if (row.kind == PaperRow::Kind::kDerived) {
    json["derived"] = {{"of", row.preset}, {"seeds", row.seeds}, {"decode", toJson(row.decode)}};
    if (!row.subset.empty()) json["derived"]["subset"] = row.subset;
  }
  if (!row.runs()) json["quoted"] = row.quoted;
  if (row.runs()) {
    json["status"] = statusOf(ours, measured);
    json["cells"] = std::move(cells);
    if (ours.bestByValid) json["best_by_valid"] = true;
    if (ours.bestOnTest) json["best_on_test"] = true;
  }
  for (const auto& [key, value] : row.facts) json["facts"][key] = value;
  if (!row.note.empty()) json["note"] = row.note;
  return json;
}

}  // namespace

Json toJson(const MeasuredTable& measured) {
  const PaperTable& table = measured.table;
  Json columns = Json::array(), rows = Json::array();
  for (const PaperColumn& column : table.columns) columns.push_back(columnJson(column));
  for (std::size_t r = 0; r < table.rows.size(); ++r) rows.push_back(rowJson(measured, r));
  Json beside = Json::array();
  for (const PaperScorer& scorer : table.beside) beside.push_back(scorer.text());
  return {{"table", table.id},
          {"title", table.title},
          {"task", table.task},
          {"recipe", table.dataset},
          {"datasets", measured.datasets},
          {"scorer", table.scorer.text()},
          {"beside", beside},
          {"vocabulary", {measured.vocabulary.source, measured.vocabulary.target}},
          {"seeds", measured.seeds},
          {"headline", table.headline},
          {"columns", columns},
          {"rows", rows},
          {"notes", table.notes}};
}

std::string csvOf(const MeasuredTable& measured) {
  CsvText csv({"table",       "row",    "preset",  "column",     "dataset",
               "set",         "scorer", "printed", "recomputed", "printed_parameters_M",
               "parameters",  "mean",   "std",     "seeds",      "values",
               "gain",        "low",    "high",    "p",          "direction",
               "printed_gain"});
  const PaperTable& table = measured.table;
  const auto text = [](const std::optional<double>& value) {
    return value ? fmt::format("{}", *value) : std::string();
  };
  for (std::size_t r = 0; r < table.rows.size(); ++r) {
    const PaperRow& row = table.rows[r];
    const MeasuredRow& ours = measured.rows[r];
    for (std::size_t c = 0; c < table.columns.size(); ++c) {
      const PaperColumn& column = table.columns[c];
      const MeasuredCell cell = row.runs() ? ours.cells[c] : MeasuredCell{};
      const auto& gain = cell.gain;
      csv.row(
          {table.id,
           row.name,
           ours.preset,
           column.key,
           cell.dataset,
           cell.set,
           table.scorer.text(),
           text(printedAt(row, column.key)),
           text(table.recomputed(row, column)),
           text(row.parameters),
           ours.parameters ? fmt::to_string(*ours.parameters) : "",
           text(cell.mean()),
           text(cell.deviation()),
           fmt::to_string(cell.values().size()),
           fmt::format("{}", fmt::join(cell.values(), " ")),
           gain ? fmt::format("{}", gain->difference) : "",
           gain ? fmt::format("{}", gain->low) : "",
           gain ? fmt::format("{}", gain->high) : "",
           gain ? fmt::format("{}", gain->pValue) : "",
           gain ? std::string(nameOf(directionOf(*gain, printedGain(table, row, column.key)))) : "",
           text(printedGain(table, row, column.key))});
    }
  }
  return csv.text();
}

std::string latexOf(const MeasuredTable& measured) {
  const Table shown = shownTable(measured);
  std::string spec, out;
  for (const TableColumn& column : shown.columns) spec += column.align == Align::kRight ? 'r' : 'l';
  const auto line = [&](const std::vector<std::string>& cells) {
    std::vector<std::string> escaped;
    for (const std::string& cell : cells) escaped.push_back(texEscaped(cell));
    return fmt::format("{} \\\\\n", fmt::join(escaped, " & "));
  };
  std::vector<std::string> titles;
  for (const TableColumn& column : shown.columns) titles.push_back(column.title);
  out += fmt::format("% {}\n\\begin{{tabular}}{{{}}}\n\\hline\n", measured.table.id, spec);
  out += line(titles) + "\\hline\n";
  for (const auto& row : shown.rows) out += line(row);
  return out + "\\hline\n\\end{tabular}\n";
}

}  // namespace strata
