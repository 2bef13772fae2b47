#pragma once
#include <map>
#include <memory>
#include <string>
#include <tuple>

#include "app/paper_outputs.h"
#include "app/paper_plan.h"
#include "core/metrics/bleu.h"
#include "core/report/paper_report.h"

namespace strata {

// Scores stored translations under papers' scorers. References are prepared once a set and scorer.
class PaperScores {
 public:
  // Statistics of every sentence, in the set's order. `output` must have the set's sentences.
  std::vector<BleuStats> stats(const Dataset& dataset, const std::string& set,
                               const PaperScorer& scorer, const StoredOutput& output);
  // Of the sentences that a row's subset keeps; all where it is empty.
  std::vector<BleuStats> kept(const Dataset& dataset, const std::string& set,
                              const std::string& subset, std::vector<BleuStats> stats);
  static double scoreOf(const std::vector<BleuStats>& stats, const PaperScorer& scorer);
  static std::optional<BleuOptions> optionsOf(const PaperScorer& scorer);  // empty: multi-bleu

 private:
  std::map<std::string, std::unique_ptr<BleuReferences>> references_;
  std::map<std::string, std::vector<bool>> subsets_;
};

// What the workspace holds of a table. Parameters are counted for `vocabulary`, or for those of the
// datasets that cells are measured on; the paper's where there is none.
MeasuredTable measureTable(Workspace& workspace, const PaperTable& table,
                           const PaperPlanner& planner,
                           const std::optional<VocabularySizes>& vocabulary);

// One cell without gains: runs with status and values. Shared with figures.
class CellMeasure {
 public:
  explicit CellMeasure(Workspace& workspace) : workspace_(workspace), runs_(workspace) {}

  struct Result {
    MeasuredCell cell;
    // By run, where it was scored: statistics of the sentences that count, for tests and bins.
    std::map<std::string, std::vector<BleuStats>> stats;
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

// The epoch, from 1, in which a run's rate first fell to half or less of the update before (the end
// of a warm-up falls slowly); none where it never did.
std::optional<double> annealingEpoch(Workspace& workspace, std::int64_t run);
// The update at which it did.
std::optional<std::int64_t> annealingStep(Workspace& workspace, std::int64_t run);

}  // namespace strata
