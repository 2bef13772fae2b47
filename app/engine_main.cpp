// strata-engine: every verb of strata-run, including those that need libtorch. strata-run executes
// it.
#include "app/engine/run_engine.h"

int main(int argc, char** argv) {
  return strata::runEngine(argc, argv);
}
