#include "app/engine/verbs.h"

namespace strata {

std::span<const Verb> engineVerbs() {
  static constexpr Verb kVerbs[] = {
      {"demo", addDemoCommand},           {"train", addTrainCommand},
      {"translate", addTranslateCommand}, {"score", addScoreCommand},
      {"effects", addEffectsCommand},     {"readers", addReadersCommand},
      {"layers", addLayersCommand},       {"tune", addTuneCommand},
      {"paper", addPaperCommand},         {"sweep", addSweepCommand},
      {"average", addAverageCommand},     {"inspect", addInspectCommand},
      {"verify", addVerifyCommand},       {"bench", addBenchCommand},
      {"serve", addServeCommand},
  };
  return kVerbs;
}

}  // namespace strata
