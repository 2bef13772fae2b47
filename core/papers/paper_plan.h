#pragma once
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/data/dataset.h"
#include "core/papers/paper_engine.h"
#include "core/papers/paper_figure.h"
#include "core/papers/paper_table.h"
#include "core/store/planned_runs.h"

namespace strata {

// How a paper's table or figure is to be run or shown: what the command line says.
struct PaperOptions {
  std::vector<std::string> data;       // NAME (in place of the table's recipe) or RECIPE=NAME
  std::vector<std::string> sets;       // COLUMN=SET: the evaluation set that a column is scored on
  std::vector<std::string> overrides;  // key=value for every row
  std::vector<std::string> rows, columns;  // only these; empty: all
  std::string suffix;  // of all presets: "cpu" takes mlrf/base-cpu in place of mlrf/base
  std::string label;  // names runs of settings of one's own, which need not be the same in each row
  int seeds = 3;
};

// Why a cell that the options leave out is not measured.
inline constexpr const char* kLeftOut = "left out";

// A row in a column, with everything resolved.
struct PlannedCell {
  std::string missing = {};  // why it cannot be measured here; empty: it can
  std::string preset = {};   // with suffixes
  std::optional<Dataset> dataset = {};
  std::string set = {};     // empty where nothing is scored
  bool paperSetup = false;  // data, set and preset are the paper's
  PaperDecode decode = {};
  std::string subset = {};
  int averageLast = 0;
  std::vector<PlannedRun> runs = {};
};

inline bool isLeftOut(const PlannedCell& cell) {
  return cell.missing == kLeftOut;
}

// What a cell is asked for by: a table's row and column, or a figure's point and panel.
struct CellRequest {
  const PaperRow& row;
  std::string recipe, set, column;  // `column`: key, for --sets
  std::string suffix = {};
  PaperDecode decode = {};
  bool headline = true, valid = false;  // which of other data's sets stands in
  int averageLast = 0;
};

// Finds datasets, sets and runs' names for cells. Reads the workspace's folder of datasets.
class PaperPlanner {
 public:
  // `recipe`: of most columns; a bare --data NAME stands in for it.
  // `engine` must outlive the planner.
  PaperPlanner(const PaperEngine& engine, std::filesystem::path datasets, PaperOptions options,
               std::string recipe);

  PlannedCell plan(const CellRequest& request) const;
  const PaperOptions& options() const { return options_; }
  const PaperEngine& engine() const { return engine_; }
  std::string presetOf(const std::string& preset, const std::string& columnSuffix) const;

 private:
  std::optional<Dataset> datasetOf(const std::string& recipe, std::string& missing) const;
  std::string setOf(const CellRequest& request, const Dataset& dataset) const;
  PlannedRun runOf(const PlannedCell& cell, const PaperRow& row, std::uint64_t seed) const;

  const PaperEngine& engine_;
  std::filesystem::path datasets_;
  PaperOptions options_;
  std::string recipe_;
  std::map<std::string, std::string> names_;    // recipe -> dataset's name
  std::map<std::string, std::string> columns_;  // column -> set
};

// The cells of a table, rows x columns; a cell of a quoted row is empty. Rows and columns that the
// options leave out have `missing` set.
std::vector<std::vector<PlannedCell>> planTable(const PaperTable& table,
                                                const PaperPlanner& planner);

}  // namespace strata
