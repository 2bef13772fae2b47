#include "app/commands/verbs.h"

#include <fmt/format.h>

namespace strata {

void printJson(const Json& document) {
  fmt::print("{}\n", document.dump(2));
}

void printDone(const GlobalOptions& global, const Json& document, std::string_view text) {
  if (global.json) return printJson(document);
  fmt::print("{}\n", text);
}

std::span<const Verb> dataVerbs() {
  static constexpr Verb kVerbs[] = {
      {"runs", addRunsCommand},
      {"work", addWorkCommand},
      {"workspace", addWorkspaceCommand},
      {"text", addTextCommand},
      {"data", addDataCommand},
      {"evaluate", addEvaluateCommand},
      {"compare", addCompareCommand},
      {"systems", addSystemsCommand},
      {"align", addAlignCommand},
      {"query", addQueryCommand},
      {"mcp", addMcpCommand},
  };
  return kVerbs;
}

}  // namespace strata
