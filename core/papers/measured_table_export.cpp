#include <fmt/format.h>

#include "core/papers/paper_values.h"
#include "core/report/csv.h"
#include "core/report/latex.h"

namespace strata {
namespace {

Json toJson(const RunsComparison& gain, Direction direction) {
  return {{"difference", gain.difference},
          {"low", gain.low},
          {"high", gain.high},
          {"p_value", gain.pValue},
          {"runs", gain.systemRuns},
          {"baseline_runs", gain.baselineRuns},
          {"direction", nameOf(direction)},
          {"test", "hierarchical bootstrap over runs and sentences"}};
}

Json toJson(const PaperCell& shown) {
  const MeasuredCell& cell = shown.measured;
  if (!cell.missing.empty()) return {{"missing", cell.missing}};
  Json runs = Json::array();
  for (const MeasuredRun& run : cell.runs) {
    Json entry{{"name", run.name}, {"seed", run.seed}, {"status", run.statusText()}};
    entry["value"] = orNull(run.value);
    if (run.value) entry["text"] = figureText(*run.value);
    if (run.diverged) entry["converged"] = false;
    entry["hours"] = run.hours;
    entry["tokens_per_second"] = run.tokensPerSecond;
    runs.push_back(std::move(entry));
  }
  Json json{{"dataset", cell.dataset}, {"set", cell.set}, {"seeds", cell.values().size()}};
  json["mean"] = orNull(shown.mean);
  json["std"] = orNull(shown.deviation);
  json["runs"] = std::move(runs);
  json["paper_setup"] = cell.paperSetup;
  if (shown.difference) json["difference"] = *shown.difference;
  if (cell.gain) json["gain"] = toJson(*cell.gain, *shown.direction);
  if (!cell.beside.empty()) json["beside"] = cell.beside;
  if (cell.share < 1) json["share"] = cell.share;
  return json;
}

Json pairOf(const VocabularySizes& sizes) {
  return {sizes.source, sizes.target};
}

Json valueOf(const std::optional<PrintedNumber>& printed) {
  return printed ? Json(printed->value) : Json(nullptr);
}

// As the paper prints it, for programs too.
std::string textOf(const std::optional<PrintedNumber>& printed) {
  return printed ? printed->text : "";
}

Json columnJson(const MeasuredTable& measured, const PaperColumn& column) {
  Json json{{"key", column.key}, {"title", column.title}};
  if (column.scores()) json.update({{"dataset", column.dataset}, {"set", column.set}});
  if (column.valid) json["valid"] = true;
  if (!column.average.empty()) json["average"] = column.average;
  if (!column.measure.empty()) json["measure"] = column.measure;
  if (!column.suffix.empty()) json["suffix"] = column.suffix;
  if (!column.decode.plain()) json["decode"] = toJson(column.decode);
  if (!column.size.empty()) json["size"] = column.size;
  const auto own = measured.columnVocabularies.find(column.key);
  if (own != measured.columnVocabularies.end()) json["vocabulary"] = pairOf(own->second);
  return json;
}

Json rowJson(const MeasuredTable& measured, std::size_t r) {
  const PaperTable& table = measured.table;
  const PaperRow& row = table.rows[r];
  const MeasuredRow& ours = measured.rows[r];
  Json json{{"name", row.name}};
  json["preset"] = row.runs() ? Json(ours.preset) : Json(nullptr);
  Json printed = Json::object(), texts = Json::object(), recomputed = Json::object();
  Json gains = Json::object(), cells = Json::object();
  bool any = false;
  for (std::size_t c = 0; c < table.columns.size(); ++c) {
    const std::string& key = table.columns[c].key;
    const PaperCell cell = paperCell(measured, r, c);
    printed[key] = valueOf(cell.printed);
    if (cell.printed) texts[key] = cell.printed->text;
    if (cell.recomputed) recomputed[key] = *cell.recomputed;
    if (cell.printedGain) gains[key] = cell.printedGain->value;
    if (!row.runs()) continue;
    any = any || cell.mean.has_value();
    cells[key] = toJson(cell);
  }
  json["printed"] = std::move(printed);
  json["printed_text"] = std::move(texts);
  json["parameters"] = orNull(ours.parameters);
  if (ours.vocabulary) json["vocabulary"] = pairOf(*ours.vocabulary);
  json["measured"] = any ? cells : Json(nullptr);
  json["printed_parameters"] = valueOf(row.parameters);
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
  for (const PaperColumn& column : table.columns) columns.push_back(columnJson(measured, column));
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
          {"vocabulary", pairOf(measured.vocabulary)},
          {"seeds", measured.seeds},
          {"headline", table.headline},
          {"columns", columns},
          {"rows", rows},
          {"notes", table.notes}};
}

std::string csvOf(const MeasuredTable& measured) {
  Table out;
  const PaperTable& table = measured.table;
  const std::vector<std::string> facts = table.factNames();
  for (std::size_t r = 0; r < table.rows.size(); ++r) {
    const PaperRow& row = table.rows[r];
    const MeasuredRow& ours = measured.rows[r];
    for (std::size_t c = 0; c < table.columns.size(); ++c) {
      const PaperCell shown = paperCell(measured, r, c);
      const MeasuredCell& cell = shown.measured;
      const auto& gain = cell.gain;
      out.beginRow("table", table.id);
      out.addText("row", row.name);
      out.addText("preset", ours.preset);
      out.addText("column", table.columns[c].key);
      out.addText("dataset", cell.dataset);
      out.addText("set", cell.set);
      out.addText("scorer", table.scorer.text());
      out.addNumber("printed", textOf(shown.printed));
      out.addNumber("recomputed", Cell::number(shown.recomputed));
      out.addNumber("printed_parameters_M", textOf(row.parameters));
      const auto parameters = ours.parametersIn(table.columns[c].key);
      out.addNumber("parameters", parameters ? Cell::count(*parameters) : "");
      out.addNumber("mean", Cell::number(shown.mean));
      out.addNumber("std", Cell::number(shown.deviation));
      out.addNumber("seeds", Cell::count(cell.values().size()));
      out.addText("values", fmt::format("{}", fmt::join(cell.values(), " ")));
      out.addNumber("gain", gain ? Cell::number(gain->difference) : "");
      out.addNumber("low", gain ? Cell::number(gain->low) : "");
      out.addNumber("high", gain ? Cell::number(gain->high) : "");
      out.addNumber("p", gain ? Cell::number(gain->pValue) : "");
      out.addText("direction", gain ? std::string(nameOf(*shown.direction)) : "");
      out.addNumber("printed_gain", textOf(shown.printedGain));
      out.addText("printed_size_M", table.columns[c].size);
      for (const std::string& name : facts) out.addText(name, row.fact(name));
    }
  }
  return csvTable(out);
}

std::string latexOf(const MeasuredTable& measured) {
  std::string out = fmt::format("% {}\n", measured.table.id);
  for (const std::string& line : footnotes(measured)) out += fmt::format("% {}\n", line);
  return out + latexTable(shownTable(measured));
}

}  // namespace strata
