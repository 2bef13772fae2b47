#include "app/demo_systems.h"

#include <algorithm>

#include "core/base/error.h"
#include "core/papers/catalogue.h"
#include "core/papers/figure_measure.h"

namespace strata {
namespace {

constexpr const char* kTable = "demo/systems";

PaperOptions optionsOf(const PaperTable& table, const DemoChoice& choice) {
  PaperOptions options;
  options.data = {table.dataset + "=" + choice.dataset};
  options.seeds = choice.seeds;
  return options;
}

}  // namespace

DemoSystems::DemoSystems(const PaperEngine& engine, const Workspace& workspace,
                         const DemoChoice& choice)
    : choice_(choice),
      table_(*findPaperTable(kTable)),
      planner_(engine, workspace.datasetsFolder(), optionsOf(table_, choice), table_.dataset) {
  const auto cells = planTable(table_, planner_);
  for (std::size_t r = 0; r < table_.rows.size(); ++r) {
    const PaperRow& row = table_.rows[r];
    const PlannedCell& cell = cells[r].front();
    if (!cell.missing.empty()) throw Error("{}, {}: {}", table_.id, row.name, cell.missing);
    systems_.push_back({.name = row.name, .runs = cell.runs});
  }
}

const DemoSystem& DemoSystems::system(const std::string& name) const {
  const auto found = std::ranges::find(systems_, name, &DemoSystem::name);
  if (found == systems_.end()) throw Error("{} has no row {}", table_.id, name);
  return *found;
}

const PaperFigure& DemoSystems::figure(const std::string& id) {
  return *findPaperFigure(id);
}

std::vector<PlannedRun> DemoSystems::runs() const {
  std::vector<PlannedRun> all;
  const auto add = [&all](const std::vector<PlannedRun>& runs) {
    for (const PlannedRun& run : runs) {
      if (std::ranges::find(all, run.name, &PlannedRun::name) == all.end()) all.push_back(run);
    }
  };
  for (const DemoSystem& system : systems_) add(system.runs);
  for (const PlannedCell& cell : planFigure(figure(kGradients), planner_)) add(cell.runs);
  return all;
}

}  // namespace strata
