// What the demo trains: the rows of the table demo/systems and the series of its figure
// demo/gradients, all on the generated dataset.
#pragma once
#include <string>
#include <vector>

#include "core/papers/paper_figure.h"
#include "core/papers/paper_plan.h"
#include "core/store/workspace.h"

namespace strata {

struct DemoChoice {
  std::string dataset = "demo";
  int seeds = 3;  // of the rows that are compared; the others have one run (PaperRow::oneRun)
};

// A row of the table.
struct DemoSystem {
  std::string name;              // "MLRF"
  std::vector<PlannedRun> runs;  // by seed

  const PlannedRun& shown() const { return runs.back(); }  // the one that is looked into
};

class DemoSystems {
 public:
  // Figures of what two of the systems show of their papers.
  static constexpr const char *kGradients = "demo/gradients", *kArcs = "demo/arcs";

  // `engine` must outlive it.
  DemoSystems(const PaperEngine& engine, const Workspace& workspace, const DemoChoice& choice);

  const DemoChoice& choice() const { return choice_; }
  const PaperTable& table() const { return table_; }
  const PaperPlanner& planner() const { return planner_; }  // of the table and the figures
  const std::vector<DemoSystem>& systems() const { return systems_; }
  const DemoSystem& system(const std::string& name) const;
  static const PaperFigure& figure(const std::string& id);

  std::vector<PlannedRun> runs() const;  // of all systems and of demo/gradients

 private:
  DemoChoice choice_;
  const PaperTable& table_;
  PaperPlanner planner_;
  std::vector<DemoSystem> systems_;
};

}  // namespace strata
