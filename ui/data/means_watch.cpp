#include "ui/data/means_watch.h"

#include <filesystem>

#include "core/store/runs.h"

namespace strata::ui {

void MeansWatch::read(OpenWorkspace& open, const Send<News>& send) {
  const RunRow* row = open.runs.find(run_);
  if (!row) return;
  if (auto means = read(open.workspace, row->fusionSteps)) send({run_, std::move(*means)});
}

std::optional<MeansWatch::Means> MeansWatch::read(Workspace& workspace,
                                                  const QVector<qint64>& steps) {
  if (steps == steps_) return std::nullopt;
  std::map<qint64, std::filesystem::path> folders;
  for (const StoredRecording& stored : listRecordingRows(workspace, run_)) {
    if (stored.present) folders[stored.step] = stored.folder;
  }
  Means means;
  for (const qint64 step : steps) {
    auto found = means_.find({run_, step});
    if (found == means_.end()) {
      std::vector<SentenceRecordings> sentences;  // the means do not need the dataset
      if (folders.contains(step)) sentences = readRecordings(folders[step]);
      std::array<HopMeans, 2> made;
      for (std::size_t side = 0; side < 2; ++side) {
        made[side] = hopMeans(sentences, kSides[side]);
        made[side].step = step;
      }
      found = means_.emplace(std::pair{run_, step}, std::move(made)).first;
    }
    for (std::size_t side = 0; side < 2; ++side) means[side] << found->second[side];
  }
  steps_ = steps;
  return means;
}

}  // namespace strata::ui
