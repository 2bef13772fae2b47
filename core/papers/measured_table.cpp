#include "core/papers/measured_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/papers/paper_values.h"

namespace strata {
namespace {

// As many decimals as papers print: two below 1,000, none above.
NumberStyle paperStyle(double value) {
  return {.digits = std::abs(value) >= 1000 ? 0 : 2};
}

std::string figureText(double value) {
  return numberText(value, paperStyle(value));
}

Cell figureCell(const std::optional<double>& value) {
  return value ? Cell::number(value, paperStyle(*value)) : Cell(std::string(kNotMeasured));
}

Cell printedCell(const PaperCell& cell) {
  Cell printed = figureCell(cell.printed);
  // Papers print two decimals, so that a mean of rounded columns may differ by 0.01.
  if (cell.printed && cell.recomputed && std::abs(*cell.recomputed - *cell.printed) > 0.011)
    printed.add(fmt::format(" ({})", figureText(*cell.recomputed)));
  return printed;
}

Cell measuredCell(const PaperCell& cell) {
  Cell measured = figureCell(cell.mean);
  if (cell.mean && cell.deviation) measured.add(" \u00b1 " + figureText(*cell.deviation));
  return measured;
}

Cell gainCell(const RunsComparison& gain) {
  return Cell::number(gain.difference, kSignedNumber)
      .add(fmt::format(" [{}, {}], p {:.3f}", numberText(gain.low, kSignedNumber),
                       numberText(gain.high, kSignedNumber), gain.pValue));
}

std::string verdictText(const PaperCell& cell) {
  return fmt::format("{} ({}:{} seeds)", nameOf(*cell.direction), cell.measured.gain->systemRuns,
                     cell.measured.gain->baselineRuns);
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
                                            [](const auto& run) { return run.status.has_value(); }))
        return true;
    }
  }
  return false;
}

// The columns of the shown table and the cells of a row, built in the same order.
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
    if (printedParameters_) right("paper params (M)");
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

  std::vector<Cell> cells(std::size_t r) const {
    const PaperTable& table = measured_.table;
    const PaperRow& row = table.rows[r];
    const MeasuredRow& ours = measured_.rows[r];
    std::vector<Cell> cells{nameOf(row, ours)};
    if (printedParameters_)
      cells.push_back(Cell::number(row.parameters, {.missing = kNotMeasured}));
    cells.push_back(ours.parameters ? Cell::count(*ours.parameters)
                                    : Cell(std::string(kNotMeasured)));
    for (std::size_t c = 0; c < table.columns.size(); ++c) {
      const PaperCell cell = paperCell(measured_, r, c);
      cells.push_back(printedCell(cell));
      if (!measuredAny_) continue;
      cells.push_back(row.runs() ? measuredCell(cell) : "");
      if (differences_) cells.push_back(Cell::number(cell.difference, kSignedNumber));
    }
    if (gains_) addGains(paperCell(measured_, r, headline_), cells);
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

  void addGains(const PaperCell& cell, std::vector<Cell>& cells) const {
    cells.push_back(Cell::number(cell.printedGain, kSignedNumber));
    if (!measuredAny_) return;
    cells.push_back(cell.measured.gain ? gainCell(*cell.measured.gain) : "");
    cells.push_back(cell.measured.gain ? verdictText(cell) : "");
  }

  void addRuns(const PaperRow& row, const MeasuredRow& ours, std::vector<Cell>& cells) const {
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
    cells.push_back(count > 0 ? Cell::number(hours / count) : "");
    cells.push_back(count > 0 ? Cell::number(speed / count, {.digits = 0}) : "");
  }

  const MeasuredTable& measured_;
  std::size_t headline_;
  bool measuredAny_, differences_, printedParameters_ = false, gains_ = false;
};

}  // namespace

std::string MeasuredRun::statusText() const {
  if (!status) return "absent";
  return scored ? "scored" : std::string(nameOf(*status));
}

std::string statusOf(const MeasuredRow& row, const MeasuredTable& measured) {
  const MeasuredCell& cell = row.cells[headlineOf(measured.table)];
  if (!cell.missing.empty()) return cell.missing;
  std::map<std::string, int> counts;  // of unscored runs, by status
  int diverged = 0;
  for (const MeasuredRun& run : cell.runs) {
    if (run.status && !run.scored) ++counts[run.waitsForScore() ? "to score" : run.statusText()];
    if (run.diverged) ++diverged;
  }
  std::string text = fmt::format("{}/{}", cell.values().size(), cell.runs.size());
  for (const auto& [status, count] : counts) text += fmt::format(", {} {}", count, status);
  if (diverged > 0) text += fmt::format(", {} did not converge", diverged);
  return text;
}

Table shownTable(const MeasuredTable& measured) {
  const Shown shown(measured);
  Table table{.caption = fmt::format("{}: {} ({})", measured.table.id, measured.table.title,
                                     measured.table.scorer.text()),
              .columns = shown.columns()};
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
  if (marked) lines.emplace_back("\u25b2 best on the validation set, \u25cf best on the test set.");
  if (tested)
    lines.push_back(fmt::format(
        "Gains of '{}' over the row's baseline: 95 % interval and p (< 0.05) of a hierarchical "
        "bootstrap over runs and sentences; no verdict with fewer than {} seeds on either side.",
        table.column(table.headline).title, kRunsForDirection));
  for (const PaperRow& row : table.rows) {
    if (!row.note.empty()) lines.push_back(row.name + ": " + row.note + ".");
  }
  for (const std::string& note : table.notes) lines.push_back(note);
  return lines;
}

}  // namespace strata
