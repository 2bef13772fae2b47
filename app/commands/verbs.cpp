#include "app/commands/verbs.h"

namespace strata {

std::span<const Verb> dataVerbs() {
  static constexpr Verb kVerbs[] = {
      {"runs", addRunsCommand},           {"work", addWorkCommand},
      {"workspace", addWorkspaceCommand}, {"text", addTextCommand},
      {"data", addDataCommand},           {"evaluate", addEvaluateCommand},
      {"compare", addCompareCommand},     {"systems", addSystemsCommand},
      {"align", addAlignCommand},
  };
  return kVerbs;
}

}  // namespace strata
