#pragma once
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "core/base/json.h"
#include "core/metrics/significance.h"
#include "core/report/cell.h"
#include "core/store/workspace.h"

namespace strata {

// The demo's results, stored as reports/demo/results.json so that the page can be rewritten.
struct DemoResults {
  std::string dataset;
  std::int64_t sentences = 0;                     // of the held-out set
  std::int64_t sourceTypes = 0, targetTypes = 0;  // distinct words in the training text
  std::string fused, plain;                       // names of the two runs
  double wordForWord = 0;                         // BLEU of the gold lexicon
  PairedBootstrap comparison;                     // plain is the baseline; BLEU
  double seconds = 0;
  struct Example {
    std::string source, reference, fused, plain;
  };
  std::vector<Example> examples;
};

inline constexpr NumberStyle kDemoScore{.digits = 1};  // of BLEU

Json toJson(const DemoResults& results);
DemoResults demoResultsFrom(const Json& json);

// "... the model with fusion is better", or that neither is: a winner is named only if the interval
// excludes zero.
std::string verdict(const DemoResults& results);

// Writes reports/demo/index.html in the workspace: scores, curves of both runs, hop weights,
// examples, and the screenshots in `pictures`, if any. Returns the page's path.
std::filesystem::path writeDemoReport(Workspace& workspace, const DemoResults& results,
                                      const std::filesystem::path& pictures);

}  // namespace strata
