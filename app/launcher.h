#pragma once

namespace strata {

// A usage error where a launcher (torchrun, srun, mpirun) says that it started several copies of
// this program for one task: each would train a run of its own.
void requireSingleProcess();

}  // namespace strata
