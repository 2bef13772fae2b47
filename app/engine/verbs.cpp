#include "app/engine/verbs.h"

namespace strata {

std::span<const Verb> engineVerbs() {
  static constexpr Verb kVerbs[] = {
      {"demo", addDemoCommand},           {"train", addTrainCommand},
      {"translate", addTranslateCommand}, {"score", addScoreCommand},
      {"effects", addEffectsCommand},     {"tune", addTuneCommand},
      {"paper", addPaperCommand},         {"sweep", addSweepCommand},
      {"average", addAverageCommand},     {"inspect", addInspectCommand},
      {"verify", addVerifyCommand},       {"bench", addBenchCommand},
      {"serve", addServeCommand},         {"layers", addLayersCommand},
  };
  return kVerbs;
}

}  // namespace strata
