#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "app/demo_systems.h"
#include "core/base/json.h"
#include "core/papers/measured_table.h"
#include "core/report/cell.h"
#include "core/store/workspace.h"

namespace strata {

// The demo's results, as the workspace has them.
struct DemoResults {
  DemoChoice choice;
  double seconds = 0;                             // that the demo took
  std::int64_t sentences = 0;                     // of the held-out set
  std::int64_t sourceTypes = 0, targetTypes = 0;  // distinct words in the training text
  double wordForWord = 0;                         // the score of the gold lexicon
  MeasuredTable measured;                         // demo/systems
  std::vector<std::optional<double>> falls;       // by row: fallAtEnd() of its runs, the mean
  struct Example {
    std::string source, reference;
    std::vector<std::string> translations;  // by row, of the run that is shown; empty: none
  };
  std::vector<Example> examples;
};
DemoResults demoResults(Workspace& workspace, const DemoSystems& systems, double seconds);

inline constexpr NumberStyle kDemoScore{.digits = 1};  // of BLEU

// reports/demo/results.json.
Json toJson(const DemoResults& results);

// Whether MLRF is better than the Transformer, whatever comes out: confirmed, opposite, undecided,
// or that there are too few seeds to say.
std::string verdict(const DemoResults& results);
// Whether the learning curves of the two are flat, and what that means for the verdict.
std::string learning(const DemoResults& results);
// The systems, with the word-for-word translation as the first row.
Table systemsTable(const DemoResults& results);

}  // namespace strata
