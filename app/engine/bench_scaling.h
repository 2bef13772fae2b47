#pragma once
#include "app/engine/bench_training.h"

namespace strata {

// How the speed of training grows with the number of processes, each with the same work: starts
// options.processes of this program here and prints, as JSON, for each preset the target tokens per
// second of one process while the others wait, of all together, and the share of the ideal that
// they reach. The two alternate, in the same processes.
void benchScaling(const GlobalOptions& global, const BenchOptions& options);

}  // namespace strata
