#pragma once
#include <map>
#include <memory>
#include <string>

#include "core/metrics/metric.h"
#include "core/papers/measured_table.h"
#include "core/papers/paper_outputs.h"
#include "core/papers/paper_plan.h"

namespace strata {

// A translation under a metric: one row per sentence.
struct ScoredRows {
  MetricPointer metric;
  MetricRows rows;
  double score() const { return metric->score(rows.sums()); }
};

// Scores stored translations with the papers' scorers. References are prepared once per set and
// scorer.
class PaperScores {
 public:
  // Every sentence, in the set's order. `output` must have the set's sentences.
  ScoredRows rows(const Dataset& dataset, const std::string& set, const PaperScorer& scorer,
                  const StoredOutput& output);
  // The sentences in a row's subset; all if the subset is empty.
  ScoredRows kept(const Dataset& dataset, const std::string& set, const std::string& subset,
                  ScoredRows all);

 private:
  std::map<std::string, MetricPointer> metrics_;
  std::map<std::string, std::vector<std::size_t>> subsets_;
};

// Measures one cell, without gains: runs with status and values. Shared with figures.
class CellMeasure {
 public:
  explicit CellMeasure(Workspace& workspace) : workspace_(workspace), runs_(workspace) {}

  struct Result {
    MeasuredCell cell;
    // Per scored run: the sentences that count, for significance tests and bins.
    std::map<std::string, ScoredRows> scored;
    std::map<std::string, StoredOutput> outputs;
  };
  Result scored(const PlannedCell& plan, const PaperScorer& scorer,
                const std::vector<PaperScorer>& beside = {});
  MeasuredCell measured(const PlannedCell& plan, const std::string& measure);

  const RunsByName& runs() const { return runs_; }
  PaperScores& scores() { return scores_; }

 private:
  MeasuredRun runOf(const PlannedRun& plan) const;
  std::optional<double> valueOf(const RunSummary& run, const std::string& measure);

  Workspace& workspace_;
  RunsByName runs_;
  PaperScores scores_;
};

// The epoch, from 1, in which a run's learning rate first fell to at most half of the previous
// update's (after a warm-up it falls slowly); none if it never did.
std::optional<double> annealingEpoch(Workspace& workspace, std::int64_t run);
// The update at which that happened.
std::optional<std::int64_t> annealingStep(Workspace& workspace, std::int64_t run);

}  // namespace strata
