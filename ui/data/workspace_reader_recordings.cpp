// What WorkspaceReader reads of recordings.
#include <algorithm>

#include "core/run/recording.h"
#include "ui/data/history_attention.h"
#include "ui/data/hop_weights.h"
#include "ui/data/target_text.h"
#include "ui/data/text.h"
#include "ui/data/workspace_reader.h"

namespace strata::ui {
namespace {

const QString kSides[] = {QStringLiteral("encoder"), QStringLiteral("decoder")};

// A fusion of a configuration; null where the model has none.
Json fusionIn(const Json& config, const char* key) {
  if (!config.contains("model") || !config["model"].contains(key) ||
      !config["model"][key].is_object())
    return nullptr;
  return config["model"][key];
}

}  // namespace

FusionInfo WorkspaceReader::fusionOf(qint64 run, const std::filesystem::path& folder) {
  Known& known = known_[run];
  if (known.fusion) return *known.fusion;
  FusionInfo info;
  RunSummary summary;
  summary.folder = folder;
  const Json config = runConfig(summary);
  for (const auto& [key, embedding] : {std::pair{"encoder_fusion", &info.encoderEmbedding},
                                       {"decoder_fusion", &info.decoderEmbedding}}) {
    const Json fusion = fusionIn(config, key);
    if (fusion.is_null()) continue;
    info.hops = info.hops || fusion.value("type", "none") == "sa";
    *embedding = fusion.value("include_embedding", true);
  }
  known.fusion = info;
  return info;
}

// A run records the same names at every step, so one index tells. Empty where it has no history.
QStringList WorkspaceReader::historyNamesOf(qint64 run, const std::filesystem::path& recordings) {
  Known& known = known_[run];
  if (known.historyNames) return *known.historyNames;
  QStringList names;
  bool history = false;
  try {
    for (const RecordingInfo& info : readRecordingInfos(recordings)) {
      history = history || isHistoryKind(info.kind);
      if (isPartOfTargetAttention(info)) names << qs(info.name);
    }
  } catch (const std::exception& error) {
    report(error);  // one damaged folder does not hide the other runs
  }
  if (!history) names.clear();
  known.historyNames = names;
  return names;
}

StepRecordings WorkspaceReader::readStep(qint64 run, qint64 step) {
  const RunSummary summary = runById(*workspace_, run);
  const FusionInfo fusion = fusionOf(run, summary.folder);
  StepRecordings recordings{run, step, {}, fusion.encoderEmbedding, fusion.decoderEmbedding,
                            {},  {}};
  for (const StoredRecording& stored : listRecordingRows(*workspace_, run)) {
    if (stored.step == step && stored.present) recordings.sentences = readRecordings(stored.folder);
  }
  const bool history = std::any_of(recordings.sentences.begin(), recordings.sentences.end(),
                                   [](const SentenceRecordings& s) { return hasHistory(s); });
  if (history) {
    TargetText text =
        targetTextOf(workspace_->datasetsFolder(), runConfig(summary), recordings.sentences);
    recordings.targetLanguage = text.language;
    recordings.gold = std::move(text.gold);
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
  QVector<HopMeans> means[2];
  for (const qint64 step : steps) {
    auto found = means_.find({meansRun_, step});
    if (found == means_.end()) {
      const StepRecordings recordings = readStep(meansRun_, step);
      found = means_
                  .emplace(std::pair{meansRun_, step}, std::array{hopMeans(recordings, kSides[0]),
                                                                  hopMeans(recordings, kSides[1])})
                  .first;
    }
    for (std::size_t side = 0; side < 2; ++side) means[side] << found->second[side];
  }
  sentMeans_ = steps;
  for (std::size_t side = 0; side < 2; ++side)
    emit service_->meansChanged(meansRun_, kSides[side], means[side]);
}

}  // namespace strata::ui
