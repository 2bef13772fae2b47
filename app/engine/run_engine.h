#pragma once

namespace strata {

// strata-engine's main: every verb of strata-run, including those that need libtorch.
int runEngine(int argc, char** argv);

}  // namespace strata
