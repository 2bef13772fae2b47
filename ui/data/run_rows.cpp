#include "ui/data/run_rows.h"

#include <algorithm>

#include "core/inside/hop_weights.h"
#include "core/inside/target_attention.h"
#include "ui/data/text.h"

namespace strata::ui {
namespace {

RunRow rowWithoutDetails(const RunSummary& summary) {
  RunRow row;
  row.id = summary.id;
  row.name = qs(summary.name);
  row.status = summary.status;
  row.preset = qs(summary.preset);
  row.dataset = qs(summary.dataset);
  row.group = qs(summary.group);
  row.metric = qs(summary.metric);
  row.best = summary.best;
  row.last = summary.last;
  row.bestStep = summary.bestStep;
  row.lastStep = summary.lastStep;
  row.step = summary.step;
  row.tokensPerSecond = summary.tokensPerSecond;
  row.seconds = summary.seconds;
  row.seed = summary.seed;
  row.tags = qs(summary.tags);
  row.note = qs(summary.note);
  row.message = qs(summary.message);
  row.diverged = summary.diverged;
  row.pending = qs(summary.pending);
  row.folder = qs(summary.folder.string());
  row.trashed = summary.trashed;
  std::error_code unknown;
  row.missing = !std::filesystem::exists(summary.folder, unknown);
  row.created = summary.created;
  return row;
}

}  // namespace

RunRow RunRows::rowOf(Workspace& workspace, const RunSummary& summary) {
  RunRow row = rowWithoutDetails(summary);
  Known& known = known_[row.id];
  // A training run saves and records between two scores.
  if (static_cast<const RunFacts&>(known.row) == row && !row.isActive()) return known.row;
  qint64 best = -1;  // of those that were the best when they were saved, the newest is
  for (const StoredCheckpoint& checkpoint : listCheckpointRows(workspace, row.id)) {
    if (!checkpoint.present) continue;
    row.checkpoints.push_back({checkpoint.step});
    if (checkpoint.best) best = checkpoint.step;
  }
  for (RunCheckpoint& checkpoint : row.checkpoints) checkpoint.best = checkpoint.step == best;
  row.hasCheckpoint = !row.checkpoints.isEmpty();
  addRecordings(workspace, row);
  known.row = row;
  return row;
}

bool RunRows::changedFolders() const {
  return std::ranges::any_of(known_, [](const auto& each) {
    std::error_code unknown;
    const RunRow& row = each.second.row;
    return row.missing == std::filesystem::exists(toStd(row.folder), unknown);
  });
}

const RunRow* RunRows::find(qint64 run) const {
  const auto found = known_.find(run);
  return found == known_.end() ? nullptr : &found->second.row;
}

void RunRows::addRecordings(Workspace& workspace, RunRow& row) {
  QVector<qint64> steps;
  RecordedNames recorded;
  for (const StoredRecording& recording : listRecordingRows(workspace, row.id)) {
    if (!recording.present) continue;
    steps << recording.step;
    recorded = recordedBy(row.id, recording.folder);
  }
  if (steps.isEmpty()) return;
  std::sort(steps.begin(), steps.end());
  row.recordedSteps = steps;
  if (recorded.hops) row.fusionSteps = steps;
  row.historyNames = recorded.history;
  if (!row.historyNames.isEmpty()) row.historySteps = steps;
}

// A run records the same names at every step, so one index suffices.
const RunRows::RecordedNames& RunRows::recordedBy(qint64 run,
                                                  const std::filesystem::path& recordings) {
  auto& recorded = known_[run].recorded;
  if (recorded) return *recorded;
  RecordedNames names;
  bool history = false;
  try {
    for (const RecordingInfo& info : readRecordingInfos(recordings)) {
      history = history || isHistoryKind(info.kind);
      names.hops = names.hops || isHopWeights(info);
      if (isPartOfTargetAttention(info)) names.history << qs(info.name);
    }
  } catch (const std::exception& error) {
    report_(error);
  }
  if (!history) names.history.clear();
  return recorded.emplace(std::move(names));
}

}  // namespace strata::ui
