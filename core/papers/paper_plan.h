#pragma once
#include <filesystem>
#include <functional>
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

// How to run or show a paper's table or figure: the options of the command line.
struct PaperOptions {
  std::vector<std::string> data;           // NAME (instead of the table's recipe) or RECIPE=NAME
  std::vector<std::string> sets;           // COLUMN=SET: the evaluation set used to score a column
  std::vector<std::string> overrides;      // key=value for every row
  std::vector<std::string> rows, columns;  // only these; empty: all
  std::string suffix;  // of all presets: "cpu" uses mlrf/base-cpu instead of mlrf/base
  std::string label;   // for runs with custom settings, which may differ from row to row
  int seeds = 3;
  // Of figures of recordings: numbers of sentences, from 1, instead of the figure's.
  std::vector<std::int64_t> sentences;
};

// PlannedCell::missing of cells that --rows and --columns exclude.
inline constexpr const char* kLeftOut = "left out";

// A row in a column, with everything resolved.
struct PlannedCell {
  std::string missing = {};  // why it cannot be measured here; empty if it can
  std::string preset = {};   // with suffixes
  std::optional<Dataset> dataset = {};
  std::string set = {};     // empty if nothing is scored
  bool paperSetup = false;  // data, set and preset are the paper's
  // Why they are not, so that no printed value is subtracted.
  std::vector<std::string> otherSetup = {};
  PaperDecode decode = {};
  std::string subset = {};
  int averageLast = 0;
  std::vector<PlannedRun> runs = {};
  // Figures of recordings: which sentences are recorded, from 0, and their set.
  std::vector<std::int64_t> sentences = {};
  std::string recordedSet = {};
};

inline bool isLeftOut(const PlannedCell& cell) {
  return cell.missing == kLeftOut;
}

// Identifies a cell: a table's row and column, or a figure's point and panel.
struct CellRequest {
  const PaperRow& row;
  PaperColumn column;
  bool headline = true;  // on data other than the paper's, another set may take its set's place
  int averageLast = 0;
  std::vector<std::string> series = {};  // that the runs must measure (core/run/measured_series.h)
};

// Finds datasets, sets and run names for cells. Reads the workspace's datasets folder.
class PaperPlanner {
 public:
  // `recipe`: of most columns; --data NAME without a recipe replaces it.
  // `engine` must outlive the planner.
  PaperPlanner(const PaperEngine& engine, std::filesystem::path datasets, PaperOptions options,
               std::string recipe);

  // Runs with settings that change no score (core/run/config.h) have the name of those without.
  // `exists` finds the runs that have a name of their own since they were made before.
  void setRuns(std::function<bool(const std::string& name)> exists) { exists_ = std::move(exists); }

  PlannedCell plan(const CellRequest& request) const;
  const PaperOptions& options() const { return options_; }
  const PaperEngine& engine() const { return engine_; }
  std::string presetOf(const std::string& preset, const std::string& columnSuffix) const;

 private:
  std::optional<Dataset> datasetOf(const std::string& recipe, std::string& missing) const;
  std::string setOf(const CellRequest& request, const Dataset& dataset) const;
  std::string runName(const PlannedCell& cell, const PaperRow& row, std::uint64_t seed) const;
  int seedsOf(const PlannedCell& cell, const PaperRow& row) const;
  PlannedRun runOf(const PlannedCell& cell, const CellRequest& request, std::uint64_t seed) const;
  std::vector<std::string> otherSetup(const PlannedCell& cell, const CellRequest& request,
                                      const std::string& recipe) const;

  const PaperEngine& engine_;
  std::filesystem::path datasets_;
  PaperOptions options_;
  std::string recipe_;
  std::map<std::string, std::string> names_;    // recipe -> dataset's name
  std::map<std::string, std::string> columns_;  // column -> set
  std::function<bool(const std::string& name)> exists_;
};

// The cells of a table, rows x columns; cells of quoted rows are empty. Rows and columns excluded
// by the options have `missing` set.
std::vector<std::vector<PlannedCell>> planTable(const PaperTable& table,
                                                const PaperPlanner& planner);

}  // namespace strata
