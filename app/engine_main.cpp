// strata-engine: every verb of strata-run, including those that need libtorch. strata-run executes
// it.
#include <cstdlib>

#include "app/engine/run_engine.h"

int main(int argc, char** argv) {
  const int status = strata::runEngine(argc, argv);
#ifdef __SANITIZE_ADDRESS__
  return status;  // it looks for leaks at the end of the process
#else
  // All is written. At an exit libtorch takes its thousands of operators apart: 0.15 s of each
  // verb.
  std::quick_exit(status);
#endif
}
