// strata-run: the command-line program. Verbs without a model run here; for all others it replaces
// itself by strata-engine (exec), found in the same folder, which has all verbs.
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string_view>

#include "app/program.h"

namespace {

// The engine's threads wait for each other many times in a step. OpenMP's default is to look for
// the others 300,000 times before sleeping, which takes milliseconds of a core that another program
// may need, the others' too: beside one busy process, decoding then fell to a quarter of its speed.
// 4,000 times last longer than most waits on a quiet computer (1,000 did not: sleeping took one to
// three percent of training), and beside one busy process training keeps 46 % of its speed (10,000:
// 41 %). The user's own setting counts; OpenMP reads it when the engine starts.
void limitWaiting() {
  if (std::getenv("OMP_WAIT_POLICY") == nullptr) ::setenv("GOMP_SPINCOUNT", "4000", /*replace=*/0);
}

// Returns only if the engine cannot be started.
int executeEngine(char** argv) {
  const auto engine =
      std::filesystem::read_symlink("/proc/self/exe").parent_path() / "strata-engine";
  limitWaiting();
  ::execv(engine.c_str(), argv);
  std::fprintf(stderr,
               "strata-run: cannot start %s: %s; it must be in the same folder as strata-run\n",
               engine.c_str(), std::strerror(errno));
  return 1;
}

}  // namespace

int main(int argc, char** argv) {
  const std::array verbs{strata::dataVerbs()};
  const auto named = [verb = strata::verbOf(argc, argv)](const strata::Verb& v) {
    return v.name == verb;
  };
  const bool version = argc == 2 && std::string_view(argv[1]) == "--version";
  if (!version && std::ranges::none_of(verbs.front(), named)) return executeEngine(argv);
  return strata::runProgram(argc, argv, verbs);
}
