#pragma once

namespace strata {

// A usage error if a launcher (torchrun, srun, mpirun) started several processes of this program
// for one task: each would train its own run.
void requireSingleProcess();

}  // namespace strata
