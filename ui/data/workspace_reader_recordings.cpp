// Reading of recordings by WorkspaceReader.
#include <algorithm>

#include "core/inside/hop_weights.h"
#include "core/inside/target_attention.h"
#include "ui/data/text.h"
#include "ui/data/workspace_reader.h"

namespace strata::ui {
namespace {

const QString kSides[] = {QStringLiteral("encoder"), QStringLiteral("decoder")};

}  // namespace

FusionInfo WorkspaceReader::fusionOf(qint64 run, const std::filesystem::path& folder) {
  Known& known = known_[run];
  if (known.fusion) return *known.fusion;
  RunSummary summary;
  summary.folder = folder;
  known.fusion = fusionInfoOf(runConfig(summary));
  return *known.fusion;
}

// A run records the same names at every step, so one index suffices.
WorkspaceReader::RecordedNames WorkspaceReader::recordedBy(
    qint64 run, const std::filesystem::path& recordings) {
  Known& known = known_[run];
  if (known.recorded) return *known.recorded;
  RecordedNames names;
  bool history = false;
  try {
    for (const RecordingInfo& info : readRecordingInfos(recordings)) {
      history = history || isHistoryKind(info.kind);
      names.hops = names.hops || isHopWeights(info);
      if (isPartOfTargetAttention(info)) names.history << qs(info.name);
    }
  } catch (const std::exception& error) {
    report(error);  // one damaged folder does not hide the other runs
  }
  if (!history) names.history.clear();
  known.recorded = names;
  return names;
}

StepRecordings WorkspaceReader::readStep(qint64 run, qint64 step) {
  const RunSummary summary = runById(*workspace_, run);
  StepRecordings recordings;
  recordings.runId = run;
  recordings.step = step;
  for (const StoredRecording& stored : listRecordingRows(*workspace_, run)) {
    if (stored.step != step || !stored.present) continue;
    static_cast<RecordedStep&>(recordings) =
        readRecordedStep(stored.folder, runConfig(summary), workspace_->datasetsFolder());
  }
  return recordings;
}

void WorkspaceReader::loadRecordings(qint64 run, qint64 step) {
  try {
    open();
    emit service_->recordingsLoaded(readStep(run, step));
  } catch (const std::exception& error) {
    report(error);
  }
}

void WorkspaceReader::watchMeans(qint64 run) {
  meansRun_ = run;
  sentMeans_.clear();
  if (!workspace_) return;
  try {
    readMeans();
  } catch (const std::exception& error) {
    report(error);
  }
}

void WorkspaceReader::readMeans() {
  const auto known = known_.find(meansRun_);
  if (meansRun_ == 0 || known == known_.end() || known->second.row.fusionSteps == sentMeans_)
    return;
  const QVector<qint64> steps = known->second.row.fusionSteps;
  std::map<qint64, std::filesystem::path> folders;
  for (const StoredRecording& stored : listRecordingRows(*workspace_, meansRun_)) {
    if (stored.present) folders[stored.step] = stored.folder;
  }
  QVector<HopMeans> means[2];
  for (const qint64 step : steps) {
    auto found = means_.find({meansRun_, step});
    if (found == means_.end()) {
      std::vector<SentenceRecordings> sentences;  // the means do not need the dataset
      if (folders.contains(step)) sentences = readRecordings(folders[step]);
      std::array<HopMeans, 2> made;
      for (std::size_t side = 0; side < 2; ++side) {
        made[side] = hopMeans(sentences, toStd(kSides[side]));
        made[side].step = step;
      }
      found = means_.emplace(std::pair{meansRun_, step}, std::move(made)).first;
    }
    for (std::size_t side = 0; side < 2; ++side) means[side] << found->second[side];
  }
  sentMeans_ = steps;
  for (std::size_t side = 0; side < 2; ++side)
    emit service_->meansChanged(meansRun_, kSides[side], means[side]);
}

}  // namespace strata::ui
