#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/base/json.h"
#include "core/metrics/run_significance.h"
#include "core/papers/paper_engine.h"
#include "core/papers/paper_table.h"
#include "core/report/table.h"
#include "core/store/runs.h"

namespace strata {

// One run's part in a cell.
struct MeasuredRun {
  std::string name;
  std::uint64_t seed = 0;
  std::optional<RunStatus> status = {};  // none: the run does not exist
  bool scored = false;                   // its translation, or its ensemble's, is stored
  std::optional<double> value = {};      // score or measure
  bool diverged = false;                 // stopped at non-finite values, or scored below 1 BLEU
  double hours = 0;                      // of training
  double tokensPerSecond = 0;            // of training

  bool waitsForScore() const { return status == RunStatus::kFinished && !scored; }
  // "absent", "queued", "running", "finished", "scored", "failed", ...
  std::string statusText() const;
};

// Values of several runs.
struct Summary {
  std::optional<double> mean = {};       // none without values
  std::optional<double> deviation = {};  // standard (n - 1); none for fewer than two
  std::size_t count = 0;
};
Summary summaryOf(const std::vector<double>& values);

// One measured value: a row in a column.
struct MeasuredCell {
  std::string missing;       // why nothing can be measured; empty if it can
  std::string dataset, set;  // of the workspace
  bool paperSetup = false;   // dataset, set, scorer and preset are the paper's
  std::vector<MeasuredRun> runs;
  std::optional<RunsComparison> gain;    // over the row's baseline in the same column
  std::map<std::string, double> beside;  // means under the other scorers, by PaperScorer::text()
  double share = 1;                      // of the set's sentences that are scored, 0 .. 1

  std::vector<double> values() const;  // of the runs that have a value
  std::optional<double> mean() const { return summaryOf(values()).mean; }
  std::optional<double> deviation() const { return summaryOf(values()).deviation; }
};

struct MeasuredRow {
  std::string preset;  // with suffixes; empty for quoted rows
  std::optional<std::int64_t> parameters = {};
  std::optional<VocabularySizes> vocabulary = {};             // of `parameters`, if not the table's
  std::map<std::string, std::int64_t> columnParameters = {};  // as RowParameters::columns
  std::vector<MeasuredCell> cells = {};                       // one per column
  bool bestByValid = false, bestOnTest = false;

  void setParameters(const RowParameters& counted, const VocabularySizes& ofTable);
  std::optional<std::int64_t> parametersIn(const std::string& column) const;
};

struct MeasuredTable {
  PaperTable table;
  VocabularySizes vocabulary = {};  // for which parameters are counted
  std::map<std::string, VocabularySizes> columnVocabularies = {};  // of columns with others
  int seeds = 3;
  std::vector<std::string> datasets = {};  // of the workspace, on which cells were measured
  std::vector<MeasuredRow> rows = {};      // one per row of the table

  // Sets the vocabularies to `sizes` of each column, for no row.
  void countFor(const std::function<VocabularySizes(const PaperColumn& column)>& sizes);
};

// {"table", "columns", "rows": [{"name", "preset", "printed", "parameters", "measured", ...}]}.
Json toJson(const MeasuredTable& measured);
// The paper's other columns, printed next to measured values, the tested gains and their verdicts;
// last, if the paper prints them, the sizes of the columns' models.
Table shownTable(const MeasuredTable& measured);
// Lines below the table: what the marks mean, the vocabularies that parameters are counted for, the
// test, contradictions in the paper.
std::vector<std::string> footnotes(const MeasuredTable& measured);
// One line per row and column, for other programs.
std::string csvOf(const MeasuredTable& measured);
// A LaTeX tabular as the shown table, below the footnotes as comments.
std::string latexOf(const MeasuredTable& measured);

// Short status of a row's runs: "3/3", "1/3, 2 queued", "2/3, 1 did not converge".
std::string statusOf(const MeasuredRow& row, const MeasuredTable& measured);

}  // namespace strata
