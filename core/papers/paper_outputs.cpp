#include "core/papers/paper_outputs.h"

#include <algorithm>

#include "core/base/copy_tree.h"
#include "core/base/digest.h"
#include "core/base/error.h"
#include "core/base/files.h"
#include "core/data/lexicon.h"
#include "core/data/lines.h"
#include "core/run/checkpoint_files.h"
#include "core/run/config.h"
#include "core/run/experiment.h"
#include "core/store/looks.h"
#include "core/systems/set_output.h"
#include "core/text/pipeline.h"

namespace strata {
namespace {

// The checkpoints used for a run, newest last; empty if it has none.
std::vector<CheckpointInfo> checkpointsOf(const RunSummary& run, int averageLast) {
  if (averageLast > 1) {
    auto all = listCheckpoints(run.folder);
    if (std::ssize(all) > averageLast) all.erase(all.begin(), all.end() - averageLast);
    return all;
  }
  const auto best = bestCheckpoint(run.folder, run.metric);
  return best ? std::vector{*best} : std::vector<CheckpointInfo>{};
}

bool isUsable(const RunSummary* run) {
  return run != nullptr && run->status == RunStatus::kFinished;
}

std::optional<NeededOutput> neededOf(const PlannedCell& cell,
                                     const std::vector<const RunSummary*>& runs) {
  NeededOutput needed{.runs = runs, .steps = {}, .key = {}, .beam = 0, .decoding = {}};
  std::vector<fs::path> folders;
  std::string names;
  for (const RunSummary* run : runs) {
    const auto checkpoints = checkpointsOf(*run, cell.averageLast);
    if (checkpoints.empty()) return {};
    for (const CheckpointInfo& each : checkpoints) folders.push_back(each.folder);
    needed.steps.push_back(checkpoints.back().step);
    const std::string name = stepName(checkpoints.back().step, checkpoints.size());
    names += names.empty() ? name : fmt::format("+{}-{}", run->id, name);
  }
  if (runs.size() > 1) names = cell.decode.ensemble + "-" + digestOf(names).substr(0, 8);
  needed.decoding = configAt(runConfig(*runs.front()), "decoding");
  needed.beam = cell.decode.beam > 0 ? cell.decode.beam : needed.decoding.at("beam").get<int>();
  needed.key = {
      .set = cell.set,
      .checkpoint = names,
      .decode = decodeName(needed.beam, needed.decoding.at("length_penalty").get<std::string>(),
                           cell.decode.posunk),
      .digests = outputDigests(folders, *cell.dataset)};
  return needed;
}

// Model directories of the runs: their checkpoints, or averages of them written to `folder`.
std::vector<fs::path> modelsOf(const PaperEngine& engine, const PlannedCell& cell,
                               const NeededOutput& needed, const fs::path& folder) {
  std::vector<fs::path> models;
  for (const RunSummary* run : needed.runs) {
    const auto checkpoints = checkpointsOf(*run, cell.averageLast);
    if (cell.averageLast <= 1) {
      models.push_back(checkpoints.back().folder);
      continue;
    }
    std::vector<fs::path> averaged;
    for (const CheckpointInfo& info : checkpoints) {
      requireGoodCheckpoint(info.folder);
      averaged.push_back(info.folder);
    }
    models.push_back(folder / fmt::format("model-{}", run->id));
    engine.average(averaged, models.back());
    copyTree(run->folder / "text", models.back() / "text");
  }
  return models;
}

// The plain text of a pipeline's tokens, as `translate` prints it.
std::vector<std::string> textsOf(const fs::path& runFolder,
                                 const std::vector<std::string>& tokens) {
  const TextPipeline pipeline = TextPipeline::load(runFolder / "text");
  std::vector<std::string> texts;
  for (const std::string& line : tokens) texts.push_back(pipeline.text(Side::kTarget, line));
  return texts;
}

}  // namespace

std::vector<std::optional<NeededOutput>> neededOutputs(const PlannedCell& cell,
                                                       const RunsByName& runs) {
  std::vector<std::optional<NeededOutput>> needed;
  if (!cell.missing.empty() || cell.set.empty()) return needed;
  std::vector<const RunSummary*> found;
  for (const PlannedRun& run : cell.runs) found.push_back(runs.find(run.name));
  if (!cell.decode.ensemble.empty()) {
    const bool all = std::all_of(found.begin(), found.end(), isUsable);
    needed.push_back(all ? neededOf(cell, found) : std::nullopt);
    return needed;
  }
  for (const RunSummary* run : found)
    needed.push_back(isUsable(run) ? neededOf(cell, {run}) : std::nullopt);
  return needed;
}

std::string lackForScoring(const PlannedCell& cell) {
  if (!cell.decode.posunk || !cell.dataset ||
      fs::exists(lexiconFile(*cell.dataset, LexiconKind::kLinked)))
    return "";
  return fmt::format(
      "PosUnk needs a dictionary of {}: strata-run data lexicon --dataset {}, before paper score",
      cell.dataset->name(), cell.dataset->name());
}

void makeOutput(const ScoringContext& context, const PlannedCell& cell,
                const NeededOutput& needed) {
  const TemporaryFolder folder;
  const EvaluationSet& set = cell.dataset->set(cell.set);
  cell.dataset->requireIntact(set);
  TranslationTask task{.models = modelsOf(context.engine, cell, needed, folder.path()),
                       .decode = cell.decode,
                       .decoding = parseExperiment(runConfig(*needed.runs.front())).decoding,
                       .input = set.rawSource(),
                       .dataset = &*cell.dataset};
  task.decode.beam = needed.beam;
  Translation translation = context.engine.translate(task);
  StoredOutput output{
      .key = needed.key, .tokens = std::move(translation.tokens), .seconds = translation.seconds};
  output.text = textsOf(needed.folder(), output.tokens);
  output.settings = {{"beam", needed.beam},
                     {"decoding", needed.decoding},
                     {"decode", toJson(cell.decode)},
                     {"steps", needed.steps},
                     {"average_last", cell.averageLast}};
  output.scores = context.scores(cell, output);
  if (set.test) {
    for (const RunSummary* run : needed.runs)
      recordTestLook(context.workspace, {.run = run->id,
                                         .dataset = cell.dataset->name(),
                                         .set = cell.set,
                                         .checkpoint = needed.key.checkpoint,
                                         .settings = output.settings,
                                         .scores = output.scores});
  }
  writeOutput(needed.folder(), output);
}

}  // namespace strata
