#include "core/papers/table_measure.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "core/papers/cell_measure.h"
#include "core/run/experiment.h"

namespace strata {
namespace {

using Resampled = std::vector<ResampledScores>;

// The cells of one table with the data for significance tests.
class TableMeasure {
 public:
  TableMeasure(Workspace& workspace, const PaperTable& table, const PaperPlanner& planner,
               const std::optional<VocabularySizes>& vocabulary)
      : table_(table),
        plan_(planTable(table, planner)),
        cells_(workspace),
        planner_(planner),
        vocabulary_(vocabulary) {
    measured_.table = table;
    measured_.seeds = planner.options().seeds;
  }

  MeasuredTable run() {
    measured_.countFor([&](const PaperColumn& column) { return sizesAt(nullptr, column); });
    for (std::size_t r = 0; r < table_.rows.size(); ++r) measureRow(r);
    for (std::size_t r = 0; r < table_.rows.size(); ++r) compareRow(r);
    markBest();
    std::set<std::string> datasets;
    for (const MeasuredRow& row : measured_.rows) {
      for (const MeasuredCell& cell : row.cells) {
        if (!cell.runs.empty()) datasets.insert(cell.dataset);
      }
    }
    measured_.datasets = {datasets.begin(), datasets.end()};
    return std::move(measured_);
  }

 private:
  // The vocabulary sizes for a row and column. A row that the options leave out has no dataset and
  // uses the other rows' in that column.
  VocabularySizes sizesAt(const PaperRow* row, const PaperColumn& column) const {
    if (vocabulary_) return *vocabulary_;
    const std::size_t c = table_.columnIndex(column.key);
    const std::string recipe = row == nullptr ? "" : row->dataset;
    for (std::size_t r = 0; r < plan_.size(); ++r) {
      if (table_.rows[r].dataset == recipe && plan_[r][c].dataset)
        return sizesOf(*plan_[r][c].dataset);
    }
    return table_.vocabularyOf(row, column);
  }

  void measureRow(std::size_t r) {
    const PaperRow& row = table_.rows[r];
    MeasuredRow& ours = measured_.rows.emplace_back();
    resampled_.emplace_back(table_.columns.size());
    ours.cells.resize(table_.columns.size());
    if (!row.runs()) return;
    ours.preset = planner_.presetOf(row.preset, "");
    std::vector<std::string> overrides = row.overrides;
    // Custom settings are for the chosen rows and need not be valid for the others.
    const auto& cells = plan_[r];
    const auto& custom = planner_.options().overrides;
    if (!std::all_of(cells.begin(), cells.end(), isLeftOut))
      overrides.insert(overrides.end(), custom.begin(), custom.end());
    ours.setParameters(
        parametersOf(
            planner_.engine(), table_,
            {.overrides = overrides,
             .preset = [&](const auto& suffix) { return planner_.presetOf(row.preset, suffix); },
             .sizes = [&](const auto& column) { return sizesAt(&row, column); }}),
        measured_.vocabulary);
    for (std::size_t c = 0; c < table_.columns.size(); ++c) {
      const PaperColumn& column = table_.columns[c];
      if (column.average.empty() || !plan_[r][c].set.empty()) measureCell(r, c);
    }
    for (std::size_t c = 0; c < table_.columns.size(); ++c) {
      if (!table_.columns[c].average.empty() && plan_[r][c].set.empty()) averageCell(r, c);
    }
  }

  void measureCell(std::size_t r, std::size_t c) {
    const PaperColumn& column = table_.columns[c];
    MeasuredCell& cell = measured_.rows[r].cells[c];
    if (!column.measure.empty()) {
      cell = cells_.measured(plan_[r][c], column.measure);
      return;
    }
    auto result = cells_.scored(plan_[r][c], table_.scorer, table_.beside);
    cell = std::move(result.cell);
    const BootstrapOptions options{.seed = BootstrapOptions{}.seed + c};
    std::optional<Resamples> resamples;
    for (const MeasuredRun& run : cell.runs) {
      const auto scored = result.scored.find(run.name);
      if (scored == result.scored.end()) continue;
      const auto& [metric, rows] = scored->second;
      if (!resamples) resamples.emplace(rows.sentences(), options);
      resampled_[r][c].push_back(resampleScores(*metric, rows, *resamples));
    }
  }

  // The mean of other columns, per run.
  void averageCell(std::size_t r, std::size_t c) {
    MeasuredRow& row = measured_.rows[r];
    MeasuredCell& cell = row.cells[c];
    cell.missing = plan_[r][c].missing;
    const auto& parts = table_.columns[c].average;
    cell.runs = row.cells[table_.columnIndex(parts.front())].runs;
    cell.paperSetup = true;
    for (const std::string& key : parts) {
      const MeasuredCell& part = row.cells[table_.columnIndex(key)];
      if (!part.missing.empty()) cell.missing = part.missing;
      if (cell.dataset.empty()) cell.dataset = part.dataset;
      cell.paperSetup = cell.paperSetup && part.paperSetup;
    }
    if (!cell.missing.empty()) return;
    std::size_t done = 0;  // runs scored so far: their place in `resampled_`
    for (std::size_t i = 0; i < cell.runs.size(); ++i) {
      double sum = 0;
      bool all = true;
      for (const std::string& key : parts) {
        const auto& value = row.cells[table_.columnIndex(key)].runs[i].value;
        all = all && value;
        sum += value.value_or(0);
      }
      cell.runs[i].value =
          all ? std::optional(sum / static_cast<double>(parts.size())) : std::nullopt;
      if (!all) continue;
      std::vector<ResampledScores> sets;
      for (const std::string& key : parts) {
        const Resampled& part = resampled_[r][table_.columnIndex(key)];
        if (done < part.size()) sets.push_back(part[done]);
      }
      ++done;
      if (sets.size() == parts.size()) resampled_[r][c].push_back(meanScores(sets));
    }
  }

  void compareRow(std::size_t r) {
    const PaperRow& row = table_.rows[r];
    if (row.baseline.empty()) return;
    const auto base = static_cast<std::size_t>(&table_.row(row.baseline) - table_.rows.data());
    for (std::size_t c = 0; c < table_.columns.size(); ++c) {
      const MeasuredCell& theirs = measured_.rows[base].cells[c];
      MeasuredCell& ours = measured_.rows[r].cells[c];
      const bool same =
          ours.dataset == theirs.dataset && ours.set == theirs.set && ours.share == theirs.share;
      if (!same || resampled_[r][c].empty() || resampled_[base][c].empty()) continue;
      ours.gain = compareRuns(resampled_[base][c], resampled_[r][c]);
    }
  }

  // Marks the row that is best on the validation set, by the runs' own metric, and the one with the
  // best headline score.
  void markBest() {
    const std::size_t head = table_.columnIndex(table_.headline);
    std::optional<double> bestTest, bestValid;
    MeasuredRow *onTest = nullptr, *byValid = nullptr;
    std::string metric;
    bool ordered = true;
    for (MeasuredRow& row : measured_.rows) {
      const MeasuredCell& cell = row.cells[head];
      if (const auto mean = cell.mean(); mean && (!bestTest || *mean > *bestTest)) {
        bestTest = mean;
        onTest = &row;
      }
      double sum = 0, count = 0;
      for (const MeasuredRun& run : cell.runs) {
        const RunSummary* found = cells_.runs().find(run.name);
        if (found == nullptr || !run.value || !std::isfinite(found->best)) continue;
        if (metric.empty()) metric = found->metric;
        ordered = ordered && found->metric == metric;  // different metrics cannot be compared
        sum += higherIsBetter(metric) ? found->best : -found->best;
        ++count;
      }
      if (count > 0 && (!bestValid || sum / count > *bestValid)) {
        bestValid = sum / count;
        byValid = &row;
      }
    }
    if (onTest != nullptr) onTest->bestOnTest = true;
    if (ordered && byValid != nullptr) byValid->bestByValid = true;
  }

  const PaperTable& table_;
  std::vector<std::vector<PlannedCell>> plan_;
  CellMeasure cells_;
  const PaperPlanner& planner_;
  const std::optional<VocabularySizes>& vocabulary_;  // given by the caller
  MeasuredTable measured_;
  std::vector<std::vector<Resampled>> resampled_;  // by row and column
};

}  // namespace

MeasuredTable measureTable(Workspace& workspace, const PaperTable& table,
                           const PaperPlanner& planner,
                           const std::optional<VocabularySizes>& vocabulary) {
  return TableMeasure(workspace, table, planner, vocabulary).run();
}

}  // namespace strata
