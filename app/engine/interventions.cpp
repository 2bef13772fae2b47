#include "app/engine/interventions.h"

#include <algorithm>
#include <map>
#include <utility>

#include "app/run_dataset.h"
#include "core/base/digest.h"
#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/progress.h"
#include "core/data/corpus.h"
#include "core/decode/scorer.h"
#include "core/nn/tensor_files.h"
#include "core/run/experiment.h"

namespace strata {
namespace {

using Means = std::map<std::string, torch::Tensor>;

Means meansOver(const ServedModel& served, const EvaluationSet& set,
                const std::vector<std::string>& names, int batch) {
  Progress& progress = terminalProgress();
  progress.begin("Means over " + set.name, set.sentences, "pairs");
  auto means = internalMeans(
      *served.model, pairsOf(set), names,
      {.batchSentences = batch, .advance = [&](std::int64_t done) { progress.advance(done); }});
  progress.end();
  return means;
}

// Means cached by earlier calls; nothing if they belong to another model or set.
Means readMeans(const fs::path& path, const std::map<std::string, std::string>& origin) {
  Means means;
  if (!fs::exists(path)) return means;
  const SafetensorsFile file(path);
  if (file.metadata() != origin) return means;
  for (const auto& [name, view] : file.tensors()) means[name] = tensorOf(view);
  return means;
}

}  // namespace

ScoredPairs pairsOf(const EvaluationSet& set, std::int64_t limit) {
  const Corpus corpus(set.corpus);
  const std::int64_t count = limit > 0 ? std::min(limit, corpus.pairs()) : corpus.pairs();
  ScoredPairs pairs;
  for (std::int64_t pair = 0; pair < count; ++pair) {
    pairs.sources.push_back(withEnd(corpus.ids(CorpusSide::kSource, pair).toVector()));
    pairs.targets.push_back(withEnd(corpus.ids(CorpusSide::kTarget, pair).toVector()));
  }
  return pairs;
}

std::string checkpointName(const ServedModel& served, const RunSummary& run) {
  std::string name = fs::relative(served.folder, run.folder / "checkpoints").string();
  std::ranges::replace(name, '/', '-');
  return name;
}

std::map<std::string, torch::Tensor> meansOfRun(const ServedModel& served,
                                                const MeansRequest& request) {
  const fs::path path =
      request.run.folder / "means" / (checkpointName(served, request.run) + ".safetensors");
  const std::map<std::string, std::string> origin{
      {"format", "2"},  // older formats may have included padding
      {"dataset", request.dataset.digest()},
      {"set", request.set.name},
      {"model", digestOfFile(served.folder / "model.safetensors")}};
  Means means = readMeans(path, origin);
  std::vector<std::string> names = request.names;
  std::erase_if(names, [&](const std::string& name) { return means.contains(name); });
  if (names.empty()) return means;
  means.merge(meansOver(served, request.set, names, request.batch));
  fs::create_directories(path.parent_path());
  writeTensors(path, means, origin);
  return means;
}

void InterventionFlags::prepare(const ServedModel& served, const ModelOptions& model,
                                const GlobalOptions& global) {
  interventions = Interventions::parse(texts);
  interventions.check(served.model->recordable());
  const auto wanted = interventions.meansWanted();
  if (wanted.empty()) return;
  if (model.runs.empty()) {
    throw usageError(
        "{}=mean is the mean over a run's validation set: select the model with --run, or give a "
        "number",
        wanted.front());
  }
  Workspace workspace(global.workspace, {.access = Access::kRead, .networkFileSystem = {}});
  const std::string& first = model.runs.front();
  const RunSummary run = findRun(workspace, first.substr(0, first.rfind('@')));
  const Dataset dataset = datasetOfRun(workspace, run);
  const auto sets = parseExperiment(runConfig(run)).validation.sets;
  if (sets.empty())
    throw usageError("Run {} has no validation set for the mean of {}", run.name, wanted.front());
  const EvaluationSet& set = dataset.set(sets.front());
  const bool alone = model.runs.size() + model.folders.size() == 1;
  const Means means = alone ? meansOfRun(served, {dataset, set, run, wanted, model.batch})
                            : meansOver(served, set, wanted, model.batch);
  for (const std::string& name : wanted) {
    if (means.contains(name)) interventions.setMean(name, means.at(name));
  }
}

void addInterventionOption(CLI::App& verb, InterventionFlags& flags) {
  verb.add_option("--intervene", flags.texts,
                  "Replace an internal: NAME=zero, NAME=mean (over the validation set), NAME=mask "
                  "(the softmax over the rest), NAME=NUMBER or NAME=read:POSITION*WEIGHT,... (the "
                  "weights of an attention); NAME[AXIS=INDEX]=... for one index, such as [head=2], "
                  "[hop=1,level=3] or [target=4,source=2]; indices count from 0")
      ->allow_extra_args(false);
}

}  // namespace strata
