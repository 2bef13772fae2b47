#include "ui/data/histogram_watch.h"

#include <algorithm>

#include "core/run/layer_order.h"
#include "ui/data/text.h"

namespace strata::ui {
namespace {

QStringList layersOf(const HistogramLog& log, HistogramKind kind) {
  std::vector<std::string> names;
  for (const auto& [each, layer] : log.layers()) {
    if (each == kind) names.push_back(layer);
  }
  std::ranges::sort(names, {}, layerPlace);
  return qs(names);
}

}  // namespace

void HistogramWatch::read(OpenWorkspace& open, const Send<News>& send) {
  const RunRow* row = open.runs.find(choice_.run);
  if (!row || row->missing) return;
  if (const auto news = read(toStd(row->folder))) send(*news);
}

// Reads the whole log.
bool HistogramWatch::open(const std::filesystem::path& runFolder) {
  log_.emplace(runFolder,
               HistogramFilter{.kind = choice_.kind, .layer = toStd(choice_.layer), .step = {}});
  return log_->read();
}

std::optional<RunHistograms> HistogramWatch::read(const std::filesystem::path& runFolder) {
  bool changed = log_ ? log_->read() : open(runFolder);
  const QStringList layers = layersOf(*log_, choice_.kind);
  if (!layers.isEmpty() && !layers.contains(choice_.layer)) {
    choice_.layer = layers.first();
    changed = open(runFolder);
  }
  if (!changed && sent_) return {};
  sent_ = true;
  return RunHistograms{choice_, layers, log_->found(), !log_->steps().empty()};
}

}  // namespace strata::ui
