#include "core/systems/set_output.h"

#include <algorithm>

#include "core/base/digest.h"
#include "core/data/lines.h"
#include "core/metrics/bleu_metric.h"
#include "core/store/looks.h"
#include "core/systems/scorer_case.h"

namespace strata {

std::string decodeName(int beam, const std::string& lengthRule, bool posunk) {
  std::string name = fmt::format("beam{}.{}", beam, lengthRule);
  std::ranges::replace_if(
      name, [](char c) { return c == ':' || c == ','; }, '-');
  if (posunk) name += ".posunk";
  return name;
}

std::string stepName(std::int64_t step, std::size_t averaged) {
  const std::string name = fmt::format("step-{:08}", step);
  return averaged > 1 ? fmt::format("last{}-{}", averaged, name) : name;
}

Json outputDigests(const std::vector<std::filesystem::path>& checkpoints, const Dataset& dataset) {
  Digest models;
  for (const auto& checkpoint : checkpoints) models.add(digestOfFile(checkpoint / "manifest.json"));
  return {{"models", models.hex()}, {"dataset", dataset.digest()}};
}

Json keepOutput(Workspace& workspace, const RunSummary& run, const Dataset& dataset,
                StoredOutput output) {
  const EvaluationSet& set = dataset.set(output.key.set);
  std::vector<std::vector<std::string>> references;
  for (std::int64_t r = 0; r < set.references; ++r)
    references.push_back(readLines(set.rawReference(r)));
  const BleuMetric metric(references, {.lowercase = ignoresCase(run)});
  const Json score{{"score", metric.score(compareAll(metric, output.text).sums())},
                   {"signature", metric.signature()}};
  output.scores["BLEU"] = score;
  if (set.test) {
    recordTestLook(workspace, {.run = run.id,
                               .dataset = dataset.name(),
                               .set = set.name,
                               .checkpoint = output.key.checkpoint,
                               .settings = output.settings,
                               .scores = {{"BLEU", score["score"]}}});
  }
  writeOutput(run.folder, output);
  return score;
}

}  // namespace strata
