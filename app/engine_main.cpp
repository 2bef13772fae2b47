// strata-engine: every verb of strata-run, those that need libtorch included. strata-run starts it.
#include <array>

#include "app/engine/verbs.h"
#include "app/program.h"

int main(int argc, char** argv) {
  return strata::runProgram(argc, argv, std::array{strata::engineVerbs(), strata::dataVerbs()});
}
