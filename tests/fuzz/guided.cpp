// The readers under clang's libFuzzer, which looks for inputs that take new paths: tests/fuzz/run
// --guided. STRATA_FUZZ_TARGET names the reader.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "core/base/error.h"
#include "fuzz/targets.h"

namespace {

const strata::fuzz::Target& chosenTarget() {
  const char* name = std::getenv("STRATA_FUZZ_TARGET");
  const auto targets = strata::fuzz::targets();
  const auto found = std::ranges::find_if(targets, [&](const auto& target) {
    return name != nullptr && std::string_view(target.name) == name;
  });
  if (found != targets.end()) return *found;
  std::fputs("STRATA_FUZZ_TARGET must name one of:", stderr);
  for (const auto& target : targets) std::fprintf(stderr, " %s", target.name);
  std::fputs("\n", stderr);
  std::exit(2);
}

}  // namespace

// Anything but an Error ends the program, which keeps the input.
extern "C" int LLVMFuzzerTestOneInput(const unsigned char* bytes, std::size_t size) {
  static const strata::fuzz::Target& target = chosenTarget();
  try {
    target.read({reinterpret_cast<const char*>(bytes), size});
  } catch (const strata::Error&) {
  }
  return 0;
}
