#include "app/paper_outputs.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>

#include "app/child_process.h"
#include "app/set_output.h"
#include "core/base/digest.h"
#include "core/base/error.h"
#include "core/base/files.h"
#include "core/data/lines.h"
#include "core/run/config.h"
#include "core/store/looks.h"
#include "core/text/pipeline.h"
#include "core/train/checkpoint.h"

namespace strata {
namespace {

using Clock = std::chrono::steady_clock;

// The checkpoints that stand for a run, newest last; empty: it has none.
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

std::vector<std::string> translateWords(const NeededOutput& needed, const PaperDecode& decode,
                                        const std::vector<fs::path>& models) {
  std::vector<std::string> words{"translate"};
  for (std::size_t i = 0; i < needed.runs.size(); ++i) {
    if (models.empty()) {
      words.insert(words.end(),
                   {"--run", fmt::format("{}@{}", needed.runs[i]->id, needed.steps[i])});
    } else {
      words.insert(words.end(), {"--model", models[i].string()});
    }
  }
  if (!decode.ensemble.empty()) words.insert(words.end(), {"--ensemble", decode.ensemble});
  if (decode.posunk) words.emplace_back("--posunk");
  const Json& decoding = needed.decoding;
  words.insert(words.end(), {"--beam", fmt::to_string(needed.beam), "--length-penalty",
                             decoding.at("length_penalty").get<std::string>(), "--max-length",
                             fmt::format("{},{}", decoding.at("max_length")[0].dump(),
                                         decoding.at("max_length")[1].dump()),
                             "--batch", decoding.at("batch_sentences").dump()});
  return words;
}

void runChild(const Workspace& workspace, std::vector<std::string> words, const std::string& what) {
  words.insert(words.begin(),
               {"--workspace", fs::absolute(workspace.root()).string(), "--log-level", "error"});
  ChildProcess child(words, {.errorFile = {}, .errors = STDERR_FILENO, .ownGroup = false});
  const int status = child.wait();
  if (status != 0) throw Error("{}: its process {}", what, ChildProcess::describe(status, ""));
}

// The text of a pipeline's tokens, as `translate` prints it.
std::vector<std::string> textsOf(const fs::path& runFolder,
                                 const std::vector<std::string>& tokens) {
  const TextPipeline pipeline = TextPipeline::load(runFolder / "text");
  std::vector<std::string> texts;
  for (const std::string& line : tokens) texts.push_back(pipeline.text(Side::kTarget, line));
  return texts;
}

}  // namespace

RunsByName::RunsByName(Workspace& workspace) {
  for (RunSummary& run : listRuns(workspace)) {
    std::string name = run.name;
    runs_.emplace(std::move(name), std::move(run));
  }
}

const RunSummary* RunsByName::find(const std::string& name) const {
  const auto at = runs_.find(name);
  return at == runs_.end() ? nullptr : &at->second;
}

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

void makeOutput(const ScoringContext& context, const PlannedCell& cell,
                const NeededOutput& needed) {
  const TemporaryFolder folder;
  std::vector<fs::path> models;
  if (cell.averageLast > 1) {
    for (const RunSummary* run : needed.runs) {
      const auto count = checkpointsOf(*run, cell.averageLast).size();
      models.push_back(folder / fmt::format("model-{}", run->id));
      runChild(context.workspace,
               {"average", "--run", fmt::to_string(run->id), "--last", fmt::to_string(count),
                "--output", models.back().string()},
               "averaging checkpoints of " + run->name);
    }
  }
  auto words = translateWords(needed, cell.decode, models);
  const EvaluationSet& set = cell.dataset->set(cell.set);
  cell.dataset->requireIntact(set);
  const fs::path tokens = folder / "tokens";
  words.insert(words.end(),
               {"--tokens", "--input", set.rawSource().string(), "--output", tokens.string(),
                "--device", context.device, "--threads", fmt::to_string(context.threads)});
  StoredOutput output{.key = needed.key};
  const auto start = Clock::now();
  runChild(context.workspace, words, "translating with " + needed.runs.front()->name);
  output.seconds = std::chrono::duration<double>(Clock::now() - start).count();
  output.tokens = readLines(tokens.string());
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
