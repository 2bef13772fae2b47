#include "core/papers/paper_recordings.h"

#include "core/base/digest.h"
#include "core/base/files.h"
#include "core/papers/figure_recordings.h"
#include "core/run/checkpoint_files.h"
#include "core/systems/set_output.h"

namespace strata {
namespace {

std::optional<NeededRecording> chosenOf(const PlannedCell& cell, const RunSummary* run) {
  if (run == nullptr || run->status != RunStatus::kFinished) return {};
  const auto best = bestCheckpoint(run->folder, run->metric);
  if (!best) return {};
  const std::string content = fmt::format(
      "{} {}", outputDigests({best->folder}, *cell.dataset).dump(), fmt::join(cell.sentences, ","));
  const std::string name = fmt::format("{}.{}.recorded-{}", cell.recordedSet, stepName(best->step),
                                       digestOf(content).substr(0, 8));
  return NeededRecording{run, best->folder, run->folder / "outputs" / name};
}

}  // namespace

bool NeededRecording::isMade() const {
  return fs::exists(folder / "index.json");
}

std::vector<std::optional<NeededRecording>> neededRecordings(const PlannedCell& cell,
                                                             const RunsByName& runs) {
  std::vector<std::optional<NeededRecording>> needed;
  if (!cell.missing.empty() || cell.sentences.empty()) return needed;
  for (const PlannedRun& run : cell.runs) needed.push_back(chosenOf(cell, runs.find(run.name)));
  return needed;
}

void makeRecording(const PaperEngine& engine, const PlannedCell& cell,
                   const NeededRecording& needed) {
  cell.dataset->requireIntact(cell.dataset->set(cell.recordedSet));
  requireGoodCheckpoint(needed.checkpoint);
  const auto sentences = engine.record({.model = needed.checkpoint,
                                        .dataset = &*cell.dataset,
                                        .set = cell.recordedSet,
                                        .sentences = cell.sentences,
                                        .keeps = isDrawn});
  // A name that starts with a dot is unfinished.
  const fs::path partial = needed.folder.parent_path() / ("." + needed.folder.filename().string());
  fs::remove_all(partial);
  writeRecordings(partial, sentences);
  fs::remove_all(needed.folder);
  moveDurably(partial, needed.folder);
}

}  // namespace strata
