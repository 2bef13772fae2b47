#include "core/papers/measured_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/papers/paper_values.h"

namespace strata {
namespace {

Cell figureCell(const std::optional<double>& value) {
  return value ? Cell::number(value, paperStyle(*value)) : Cell(std::string(kNotMeasured));
}

Cell shown(const std::optional<PrintedNumber>& printed) {
  return printed ? Cell::shown(printed->text, printed->value) : Cell(std::string(kNotMeasured));
}

Cell printedCell(const PaperCell& cell) {
  Cell printed = shown(cell.printed);
  // Papers print two decimals, so that a mean of rounded columns may differ by 0.01.
  if (cell.printed && cell.recomputed && std::abs(*cell.recomputed - cell.printed->value) > 0.011)
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

Cell printedGainCell(const std::optional<PrintedNumber>& gain) {
  if (!gain) return {};
  return Cell::number(gain->value, {.digits = gain->digits(), .form = NumberForm::kSigned});
}

// The smallest and the largest model of a column: " (7.46 to 10.13)".
std::string countedSizes(const MeasuredTable& measured, const std::string& column) {
  std::optional<std::int64_t> least, most;
  for (const MeasuredRow& row : measured.rows) {
    const auto count = row.parametersIn(column);
    if (!count) continue;
    least = least ? std::min(*least, *count) : *count;
    most = most ? std::max(*most, *count) : *count;
  }
  if (!least) return "";
  const auto millions = [](std::int64_t count) {
    return figureText(static_cast<double>(count) / 1e6);
  };
  return *least == *most ? fmt::format(" ({})", millions(*least))
                         : fmt::format(" ({} to {})", millions(*least), millions(*most));
}

bool hasSizes(const PaperTable& table) {
  return std::ranges::any_of(table.columns,
                             [](const PaperColumn& column) { return !column.size.empty(); });
}

// For which parameters are counted; empty: nothing is.
std::string countedVocabularies(const MeasuredTable& measured) {
  const auto isCounted = [](const MeasuredRow& row) { return row.parameters.has_value(); };
  if (std::ranges::none_of(measured.rows, isCounted)) return "";
  std::vector<CountedFor> counted{{.sizes = measured.vocabulary}};
  for (const PaperColumn& column : measured.table.columns) {
    const auto own = measured.columnVocabularies.find(column.key);
    if (own != measured.columnVocabularies.end()) addTo(counted, own->second, column.title);
  }
  for (std::size_t r = 0; r < measured.rows.size(); ++r) {
    if (const auto& own = measured.rows[r].vocabulary)
      addTo(counted, *own, measured.table.rows[r].name);
  }
  return textOf(counted);
}

std::string verdictText(const PaperCell& cell) {
  return fmt::format("{} ({}:{} seeds)", nameOf(*cell.direction), cell.measured.gain->systemRuns,
                     cell.measured.gain->baselineRuns);
}

bool anyCell(const MeasuredTable& measured, bool (*holds)(const MeasuredCell&)) {
  return std::ranges::any_of(
      measured.rows, [&](const MeasuredRow& row) { return std::ranges::any_of(row.cells, holds); });
}

bool hasRuns(const MeasuredCell& cell) {
  return std::ranges::any_of(cell.runs, [](const auto& run) { return run.status.has_value(); });
}

// Adds the rows of the shown table.
class Shown {
 public:
  Shown(const MeasuredTable& measured, Table& out)
      : measured_(measured),
        table_(measured.table),
        out_(out),
        facts_(table_.factNames()),
        places_(table_.columns.size()),
        headline_(measured.table.columnIndex(measured.table.headline)),
        measuredAny_(anyCell(measured, hasRuns)),
        differences_(anyCell(measured, [](const auto& c) { return c.paperSetup && c.mean(); })),
        printedParameters_(std::ranges::any_of(
            table_.rows, [](const PaperRow& row) { return row.parameters.has_value(); })),
        gains_(std::ranges::any_of(table_.rows,
                                   [](const PaperRow& row) { return !row.baseline.empty(); })) {}

  void addRow(std::size_t r) {
    const PaperRow& row = table_.rows[r];
    const MeasuredRow& ours = measured_.rows[r];
    out_.beginRow("system", nameOf(row, ours));
    for (const std::string& name : facts_) out_.addText(name, row.fact(name));
    if (printedParameters_) out_.addNumber("paper params (M)", shown(row.parameters));
    out_.addNumber("parameters", ours.parameters ? Cell::count(*ours.parameters)
                                                 : Cell(std::string(kNotMeasured)));
    for (std::size_t c = 0; c < table_.columns.size(); ++c) {
      const std::string& title = table_.columns[c].title;
      const PaperCell cell = paperCell(measured_, r, c);
      places_[c] = out_.rows.back().size();
      out_.addNumber(title + " paper", printedCell(cell));
      if (!measuredAny_) continue;
      out_.addNumber(title + " ours", row.runs() ? measuredCell(cell) : "");
      if (differences_) out_.addNumber("differs", Cell::number(cell.difference, kSignedNumber));
    }
    if (gains_) addGains(paperCell(measured_, r, headline_));
    if (measuredAny_) addRuns(row, ours);
  }

  // The printed size of each column's models next to those that are counted.
  void addSizes() {
    std::vector<Cell> cells(out_.columns.size());
    cells[0] = "Model size (M)";
    for (std::size_t c = 0; c < table_.columns.size(); ++c) {
      const PaperColumn& column = table_.columns[c];
      if (!column.size.empty())
        cells[places_[c]] = column.size + countedSizes(measured_, column.key);
    }
    out_.rows.push_back(std::move(cells));
  }

 private:
  static std::string nameOf(const PaperRow& row, const MeasuredRow& ours) {
    std::string name = row.name;
    if (!row.runs()) name += " (" + row.quoted + ")";
    if (ours.bestByValid) name += " \u25b2";
    if (ours.bestOnTest) name += " \u25cf";
    return name;
  }

  void addGains(const PaperCell& cell) {
    const auto& gain = cell.measured.gain;
    out_.addNumber("gain paper", printedGainCell(cell.printedGain));
    if (!measuredAny_) return;
    out_.addNumber("gain ours [95 %]", gain ? gainCell(*gain) : "");
    out_.addText("verdict", gain ? verdictText(cell) : "");
  }

  void addRuns(const PaperRow& row, const MeasuredRow& ours) {
    double hours = 0, speed = 0, count = 0;
    if (row.runs()) {
      for (const MeasuredRun& run : ours.cells[headline_].runs) {
        if (run.hours <= 0) continue;
        hours += run.hours;
        speed += run.tokensPerSecond;
        ++count;
      }
    }
    out_.addText("runs", row.runs() ? statusOf(ours, measured_) : "");
    out_.addNumber("hours", count > 0 ? Cell::number(hours / count) : "");
    out_.addNumber("tokens/s", count > 0 ? Cell::number(speed / count, {.digits = 0}) : "");
  }

  const MeasuredTable& measured_;
  const PaperTable& table_;
  Table& out_;
  std::vector<std::string> facts_;
  std::vector<std::size_t> places_;  // of the columns' printed values in a row of `out_`
  std::size_t headline_;
  bool measuredAny_, differences_, printedParameters_, gains_;
};

}  // namespace

void MeasuredRow::setParameters(const RowParameters& counted, const VocabularySizes& ofTable) {
  parameters = counted.row;
  if (counted.sizes != ofTable) vocabulary = counted.sizes;
  columnParameters = counted.columns;
}

std::optional<std::int64_t> MeasuredRow::parametersIn(const std::string& column) const {
  const auto own = columnParameters.find(column);
  return own == columnParameters.end() ? parameters : own->second;
}

void MeasuredTable::countFor(
    const std::function<VocabularySizes(const PaperColumn& column)>& sizes) {
  vocabulary = sizes(table.column(table.headline));
  for (const PaperColumn& column : table.columns) {
    if (const VocabularySizes own = sizes(column); own != vocabulary)
      columnVocabularies[column.key] = own;
  }
}

std::string MeasuredRun::statusText() const {
  if (!status) return "absent";
  return scored ? "scored" : std::string(nameOf(*status));
}

std::string statusOf(const MeasuredRow& row, const MeasuredTable& measured) {
  const MeasuredCell& cell = row.cells[measured.table.columnIndex(measured.table.headline)];
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
  Table table{.caption = fmt::format("{}: {} ({})", measured.table.id, measured.table.title,
                                     measured.table.scorer.text())};
  if (!measured.datasets.empty())
    table.caption += fmt::format("\nmeasured on {}", fmt::join(measured.datasets, ", "));
  Shown shown(measured, table);
  for (std::size_t r = 0; r < measured.rows.size(); ++r) {
    shown.addRow(r);
    if (measured.rows[r].bestByValid) table.marked.push_back(r);
  }
  if (hasSizes(measured.table)) shown.addSizes();
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
  if (auto counted = countedVocabularies(measured); !counted.empty())
    lines.push_back(std::move(counted));
  if (hasSizes(table))
    lines.emplace_back(
        "Model size (M): as printed for the column, in brackets the smallest and the largest that "
        "are counted for its rows.");
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
