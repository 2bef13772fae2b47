#pragma once
#include <functional>
#include <optional>
#include <string>

namespace strata {

// How a launcher has started this process: torchrun, or srun of Slurm, each by its own environment
// variables.
struct Launch {
  int rank = 0, size = 1;  // of all processes
  std::string address;     // where the processes meet
  int port = 0;
  bool storeIsElsewhere = false;  // torchrun itself serves the store there; else rank 0 does
  std::string attempt;            // tells one start of the processes from the next
};

// A variable's value; null: it is not set.
using Environment = std::function<const char*(const char* name)>;

// Null: no launcher has started several processes, or it has started one that is to train as if it
// were alone. A usage error names the variable that is missing or wrong; so does it for launchers
// whose processes cannot meet (mpirun).
//   torchrun  RANK, WORLD_SIZE, MASTER_ADDR, MASTER_PORT; TORCHELASTIC_USE_AGENT_STORE and
//             TORCHELASTIC_RESTART_COUNT
//   srun      SLURM_PROCID, SLURM_STEP_NUM_TASKS, SLURM_STEP_NODELIST (else SLURM_JOB_NODELIST);
//             MASTER_ADDR and MASTER_PORT if set
std::optional<Launch> launchOf(const Environment& environment);
std::optional<Launch> launchOfProcess();  // by this process's environment

// The first host of Slurm's list of nodes: "node[07-12,20],gpu1" -> "node07".
std::string firstHost(const std::string& nodes);

}  // namespace strata
