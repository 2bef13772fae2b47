#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/base/json.h"
#include "core/metrics/run_significance.h"
#include "core/papers/paper_table.h"
#include "core/report/table.h"
#include "core/store/runs.h"

namespace strata {

// One run's part in a cell.
struct MeasuredRun {
  std::string name;
  std::uint64_t seed = 0;
  std::optional<RunStatus> status;  // none: there is no such run
  bool scored = false;              // its translation, or that of its ensemble, is stored
  std::optional<double> value;      // score or measure
  bool diverged = false;            // stopped at values that are not finite, or scored below 1 BLEU
  double hours = 0;                 // of training
  double tokensPerSecond = 0;       // of training

  bool waitsForScore() const { return status == RunStatus::kFinished && !scored; }
  // "absent", "queued", "running", "finished", "scored", "failed", ...
  std::string statusText() const;
};

// One figure of ours: a row in a column.
struct MeasuredCell {
  std::string missing;       // why nothing can be measured; empty: it can
  std::string dataset, set;  // of the workspace
  bool paperSetup = false;   // dataset, set, scorer and preset are the paper's
  std::vector<MeasuredRun> runs;
  std::optional<RunsComparison> gain;    // over the row's baseline in the same column
  std::map<std::string, double> beside;  // means under other scorers, by their text
  double share = 1;                      // of the set's sentences that are scored

  std::vector<double> values() const;  // of the runs that have one
  std::optional<double> mean() const;
  std::optional<double> deviation() const;  // over seeds (n - 1); none below two
};

struct MeasuredRow {
  std::string preset;  // with suffixes; empty where quoted
  std::optional<std::int64_t> parameters;
  std::map<std::string, std::int64_t> columnParameters = {};  // where columns change the preset
  std::vector<MeasuredCell> cells;                            // one a column
  bool bestByValid = false, bestOnTest = false;
};

struct MeasuredTable {
  PaperTable table;
  VocabularySizes vocabulary;  // that parameters are counted for
  int seeds = 3;
  std::vector<std::string> datasets = {};  // of the workspace, that cells were measured on
  std::vector<MeasuredRow> rows = {};      // one a row of the table
};

// {"table", "columns", "rows": [{"name", "preset", "printed", "parameters", "measured", ...}]}.
Json toJson(const MeasuredTable& measured);
// Printed beside measured, the tested gains and their verdicts.
Table shownTable(const MeasuredTable& measured);
// What stands below it: what marks mean, the test, the paper's contradictions.
std::vector<std::string> footnotes(const MeasuredTable& measured);
// One line a row and column, for other programs.
std::string csvOf(const MeasuredTable& measured);
// A tabular with the same figures.
std::string latexOf(const MeasuredTable& measured);

// A row's runs in a few words: "3/3", "1/3, 2 queued", "2/3, 1 did not converge".
std::string statusOf(const MeasuredRow& row, const MeasuredTable& measured);

}  // namespace strata
