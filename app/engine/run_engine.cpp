#include "app/engine/run_engine.h"

#include <c10/util/Exception.h>

#include <array>
#include <cstdlib>

#include "app/engine/verbs.h"
#include "app/program.h"
#include "core/base/log.h"
#include "core/nn/arithmetic.h"

namespace strata {
namespace {

// libtorch's errors include a C++ stack trace only when debugging.
std::string stackForDebugging() {
  return spdlog::should_log(spdlog::level::debug) ? c10::get_backtrace(1) : std::string();
}

}  // namespace

int runEngine(int argc, char** argv) {
  c10::SetStackTraceFetcher(stackForDebugging);
  // Lets a computer without a GPU exercise the GPU code paths.
  const bool plain = std::getenv("STRATA_PLAIN_OPERATORS") != nullptr;
  const ArithmeticScope scope({.kernels = !plain});
  return runProgram(argc, argv, std::array{engineVerbs(), dataVerbs()});
}

}  // namespace strata
