#include "app/engine/verbs.h"

#include <fmt/format.h>

namespace strata {

std::span<const Verb> engineVerbs() {
  static constexpr Verb kVerbs[] = {
      {"demo", addDemoCommand},           {"train", addTrainCommand},
      {"translate", addTranslateCommand}, {"score", addScoreCommand},
      {"tune", addTuneCommand},           {"paper", addPaperCommand},
      {"sweep", addSweepCommand},         {"average", addAverageCommand},
      {"inspect", addInspectCommand},     {"verify", addVerifyCommand},
      {"bench", addBenchCommand},         {"serve", addServeCommand},
  };
  return kVerbs;
}

void printJson(const Json& document) {
  fmt::print("{}\n", document.dump(2));
}

}  // namespace strata
