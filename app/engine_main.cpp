// strata-engine: all verbs of strata-run, including those that need libtorch. strata-run starts it.
#include <c10/util/Exception.h>

#include <array>
#include <cstdlib>

#include "app/engine/verbs.h"
#include "app/program.h"
#include "core/base/log.h"
#include "core/nn/arithmetic.h"

namespace {

// libtorch's errors include a C++ stack trace only when debugging.
std::string stackForDebugging() {
  return spdlog::should_log(spdlog::level::debug) ? c10::get_backtrace(1) : std::string();
}

}  // namespace

int main(int argc, char** argv) {
  c10::SetStackTraceFetcher(stackForDebugging);
  // Lets a computer without a GPU exercise the GPU code paths.
  const bool plain = std::getenv("STRATA_PLAIN_OPERATORS") != nullptr;
  const strata::ArithmeticScope scope({.kernels = !plain});
  return strata::runProgram(argc, argv, std::array{strata::engineVerbs(), strata::dataVerbs()});
}
