#include "core/report/paper_report.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "core/base/error.h"
#include "core/report/csv.h"

namespace strata {
namespace {

std::size_t headlineOf(const PaperTable& table) {
  for (std::size_t c = 0; c < table.columns.size(); ++c) {
    if (table.columns[c].key == table.headline) return c;
  }
  return 0;
}

std::optional<double> printedAt(const PaperRow& row, const std::string& column) {
  const auto at = row.printed.find(column);
  return at == row.printed.end() ? std::nullopt : std::optional(at->second);
}

// What the paper's figures say of a row against its baseline.
std::optional<double> printedGain(const PaperTable& table, const PaperRow& row,
                                  const std::string& column) {
  if (row.baseline.empty()) return {};
  const auto ours = printedAt(row, column);
  const auto theirs = printedAt(table.row(row.baseline), column);
  if (!ours || !theirs) return {};
  return *ours - *theirs;
}

// As many digits as papers print: two below 1,000, none above.
std::string figure(double value) {
  return std::abs(value) >= 1000 ? fmt::format("{:.0f}", value) : fmt::format("{:.2f}", value);
}

std::string printedText(const PaperTable& table, const PaperRow& row, const PaperColumn& column) {
  const auto printed = printedAt(row, column.key);
  if (!printed) return "-";
  const auto mean = table.recomputed(row, column);
  // Two digits are printed, so that a mean of rounded columns may differ by a hundredth.
  if (mean && std::abs(*mean - *printed) > 0.011)
    return fmt::format("{} ({})", figure(*printed), figure(*mean));
  return figure(*printed);
}

std::string measuredText(const MeasuredCell& cell) {
  const auto mean = cell.mean();
  if (!mean) return "-";
  const auto deviation = cell.deviation();
  return deviation ? fmt::format("{} \u00b1 {}", figure(*mean), figure(*deviation)) : figure(*mean);
}

std::string gainText(const RunsComparison& gain) {
  return fmt::format("{:+.2f} [{:+.2f}, {:+.2f}], p {:.3f}", gain.difference, gain.low, gain.high,
                     gain.pValue);
}

// Whether the test bears out the paper. Where the paper prints a loss, a loss does.
Direction directionOf(const RunsComparison& gain, const std::optional<double>& printed) {
  const Direction direction = gain.direction();
  if (!printed || *printed >= 0) return direction;
  if (direction == Direction::kConfirmed) return Direction::kOpposite;
  return direction == Direction::kOpposite ? Direction::kConfirmed : direction;
}

std::string verdictText(const RunsComparison& gain, const std::optional<double>& printed) {
  return fmt::format("{} ({}:{} seeds)", nameOf(directionOf(gain, printed)), gain.systemRuns,
                     gain.baselineRuns);
}

bool anyPaperSetup(const MeasuredTable& measured) {
  for (const MeasuredRow& row : measured.rows) {
    for (const MeasuredCell& cell : row.cells) {
      if (cell.paperSetup && cell.mean()) return true;
    }
  }
  return false;
}

bool anyMeasured(const MeasuredTable& measured) {
  for (const MeasuredRow& row : measured.rows) {
    for (const MeasuredCell& cell : row.cells) {
      if (!cell.runs.empty() && std::any_of(cell.runs.begin(), cell.runs.end(),
                                            [](const auto& run) { return run.status != "absent"; }))
        return true;
    }
  }
  return false;
}

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
    Json entry{{"name", run.name}, {"seed", run.seed}, {"status", run.status}};
    entry["value"] = run.value ? Json(*run.value) : Json(nullptr);
    if (run.diverged) entry["converged"] = false;
    entry["hours"] = run.hours;
    entry["tokens_per_second"] = run.tokensPerSecond;
    runs.push_back(std::move(entry));
  }
  Json json{{"dataset", cell.dataset}, {"set", cell.set}, {"seeds", cell.values().size()}};
  json["mean"] = cell.mean() ? Json(*cell.mean()) : Json(nullptr);
  json["std"] = cell.deviation() ? Json(*cell.deviation()) : Json(nullptr);
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
    printed[column.key] = value ? Json(*value) : Json(nullptr);
    if (const auto mean = table.recomputed(row, column)) recomputed[column.key] = *mean;
    const auto gain = printedGain(table, row, column.key);
    if (gain) gains[column.key] = *gain;
    if (!row.runs()) continue;
    cells[column.key] = toJson(ours.cells[c], {value, gain});
    any = any || ours.cells[c].mean().has_value();
  }
  json["printed"] = std::move(printed);
  json["parameters"] = ours.parameters ? Json(*ours.parameters) : Json(nullptr);
  json["measured"] = any ? cells : Json(nullptr);
  json["printed_parameters"] = row.parameters ? Json(*row.parameters) : Json(nullptr);
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

// The columns of the shown table and a row's cells, step by step the same.
class Shown {
 public:
  explicit Shown(const MeasuredTable& measured)
      : measured_(measured),
        headline_(headlineOf(measured.table)),
        measuredAny_(anyMeasured(measured)),
        differences_(anyPaperSetup(measured)) {
    for (const PaperRow& row : measured.table.rows) {
      printedParameters_ = printedParameters_ || row.parameters.has_value();
      gains_ = gains_ || !row.baseline.empty();
    }
  }

  std::vector<TableColumn> columns() const {
    std::vector<TableColumn> columns{{"system"}};
    const auto right = [&](const std::string& title) { columns.push_back({title, Align::kRight}); };
    if (printedParameters_) right("paper M");
    right("parameters");
    for (const PaperColumn& column : measured_.table.columns) {
      right(column.title + " paper");
      if (!measuredAny_) continue;
      right(column.title + " ours");
      if (differences_) right("differs");
    }
    if (gains_) right("gain paper");
    if (gains_ && measuredAny_) {
      right("gain ours [95 %]");
      columns.push_back({"verdict"});
    }
    if (measuredAny_) {
      columns.push_back({"runs"});
      right("hours");
      right("tokens/s");
    }
    return columns;
  }

  std::vector<std::string> cells(std::size_t r) const {
    const PaperTable& table = measured_.table;
    const PaperRow& row = table.rows[r];
    const MeasuredRow& ours = measured_.rows[r];
    std::vector<std::string> cells{nameOf(row, ours)};
    if (printedParameters_)
      cells.push_back(row.parameters ? fmt::format("{:.2f}", *row.parameters) : "-");
    cells.push_back(ours.parameters ? fmt::format("{}", *ours.parameters) : "-");
    for (std::size_t c = 0; c < table.columns.size(); ++c) {
      cells.push_back(printedText(table, row, table.columns[c]));
      if (!measuredAny_) continue;
      const bool runs = row.runs();
      cells.push_back(runs ? measuredText(ours.cells[c]) : "");
      if (differences_) cells.push_back(runs ? difference(row, ours.cells[c], c) : "");
    }
    addGains(row, ours, cells);
    if (measuredAny_) addRuns(row, ours, cells);
    return cells;
  }

 private:
  static std::string nameOf(const PaperRow& row, const MeasuredRow& ours) {
    std::string name = row.name;
    if (!row.runs()) name += " (" + row.quoted + ")";
    if (ours.bestByValid) name += " \u25b2";
    if (ours.bestOnTest) name += " \u25cf";
    return name;
  }

  std::string difference(const PaperRow& row, const MeasuredCell& cell, std::size_t c) const {
    const auto printed = printedAt(row, measured_.table.columns[c].key);
    if (!cell.paperSetup || !printed || !cell.mean()) return "";
    return fmt::format("{:+.2f}", *cell.mean() - *printed);
  }

  void addGains(const PaperRow& row, const MeasuredRow& ours,
                std::vector<std::string>& cells) const {
    if (!gains_) return;
    const auto paper = printedGain(measured_.table, row, measured_.table.headline);
    cells.push_back(paper ? fmt::format("{:+.2f}", *paper) : "");
    if (!measuredAny_) return;
    const bool tested = row.runs() && ours.cells[headline_].gain;
    cells.push_back(tested ? gainText(*ours.cells[headline_].gain) : "");
    cells.push_back(tested ? verdictText(*ours.cells[headline_].gain, paper) : "");
  }

  void addRuns(const PaperRow& row, const MeasuredRow& ours,
               std::vector<std::string>& cells) const {
    double hours = 0, speed = 0, count = 0;
    if (row.runs()) {
      for (const MeasuredRun& run : ours.cells[headline_].runs) {
        if (run.hours <= 0) continue;
        hours += run.hours;
        speed += run.tokensPerSecond;
        ++count;
      }
    }
    cells.push_back(row.runs() ? statusOf(ours, measured_) : "");
    cells.push_back(count > 0 ? fmt::format("{:.2f}", hours / count) : "");
    cells.push_back(count > 0 ? fmt::format("{:.0f}", speed / count) : "");
  }

  const MeasuredTable& measured_;
  std::size_t headline_;
  bool measuredAny_, differences_, printedParameters_ = false, gains_ = false;
};

std::string texEscaped(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (std::string_view("&%$#_{}").find(c) != std::string_view::npos) out += '\\';
    if (c == '~' || c == '^' || c == '\\') {
      out += c == '~'   ? "\\textasciitilde{}"
             : c == '^' ? "\\textasciicircum{}"
                        : "\\textbackslash{}";
    } else {
      out += c;
    }
  }
  const std::vector<std::pair<std::string, std::string>> marks{
      {"\u00b1", "$\\pm$"}, {"\u25b2", "$\\blacktriangle$"}, {"\u25cf", "$\\bullet$"}};
  for (const auto& [from, to] : marks) {
    for (auto at = out.find(from); at != std::string::npos; at = out.find(from, at + to.size()))
      out.replace(at, from.size(), to);
  }
  return out;
}

}  // namespace

std::vector<double> MeasuredCell::values() const {
  std::vector<double> values;
  for (const MeasuredRun& run : runs) {
    if (run.value) values.push_back(*run.value);
  }
  return values;
}

std::optional<double> MeasuredCell::mean() const {
  const auto all = values();
  if (all.empty()) return {};
  double sum = 0;
  for (const double value : all) sum += value;
  return sum / static_cast<double>(all.size());
}

std::optional<double> MeasuredCell::deviation() const {
  const auto all = values();
  if (all.size() < 2) return {};
  double sum = 0;
  for (const double value : all) sum += (value - *mean()) * (value - *mean());
  return std::sqrt(sum / static_cast<double>(all.size() - 1));
}

std::string statusOf(const MeasuredRow& row, const MeasuredTable& measured) {
  const MeasuredCell& cell = row.cells[headlineOf(measured.table)];
  if (!cell.missing.empty()) return cell.missing;
  std::map<std::string, int> counts;
  int diverged = 0;
  for (const MeasuredRun& run : cell.runs) {
    ++counts[run.status];
    if (run.diverged) ++diverged;
  }
  std::string text = fmt::format("{}/{}", cell.values().size(), cell.runs.size());
  for (const auto& [status, count] : counts) {
    if (status == "scored" || status == "absent") continue;
    text += fmt::format(", {} {}", count, status == "finished" ? "to score" : status);
  }
  if (diverged > 0) text += fmt::format(", {} did not converge", diverged);
  return text;
}

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

Table shownTable(const MeasuredTable& measured) {
  const Shown shown(measured);
  Table table{.caption = fmt::format("{}: {} ({})", measured.table.id, measured.table.title,
                                     measured.table.scorer.text()),
              .columns = shown.columns(),
              .rows = {},
              .marked = {}};
  if (!measured.datasets.empty())
    table.caption += fmt::format("\nmeasured on {}", fmt::join(measured.datasets, ", "));
  for (std::size_t r = 0; r < measured.rows.size(); ++r) {
    table.rows.push_back(shown.cells(r));
    if (measured.rows[r].bestByValid) table.marked.push_back(r);
  }
  return table;
}

std::vector<std::string> footnotes(const MeasuredTable& measured) {
  std::vector<std::string> lines;
  const PaperTable& table = measured.table;
  bool marked = false, tested = false;
  for (const MeasuredRow& row : measured.rows) {
    marked = marked || row.bestByValid || row.bestOnTest;
    for (const MeasuredCell& cell : row.cells) tested = tested || cell.gain.has_value();
  }
  if (marked) lines.emplace_back("\u25b2 best by valid, \u25cf best on test.");
  if (tested)
    lines.push_back(fmt::format(
        "Gains of '{}' over the row's baseline: 95 % interval and p (< 0.05) of a hierarchical "
        "bootstrap over runs and sentences; no direction with fewer than {} seeds a side.",
        table.column(table.headline).title, kRunsForDirection));
  for (const PaperRow& row : table.rows) {
    if (!row.note.empty()) lines.push_back(row.name + ": " + row.note + ".");
  }
  for (const std::string& note : table.notes) lines.push_back(note);
  return lines;
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
