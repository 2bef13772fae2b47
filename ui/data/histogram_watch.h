#pragma once
#include <QMetaType>
#include <QString>
#include <QStringList>
#include <filesystem>
#include <optional>
#include <utility>
#include <vector>

#include "core/store/histograms.h"
#include "ui/data/any_watch.h"

namespace strata::ui {

struct HistogramChoice {
  qint64 run = 0;  // 0: none
  HistogramKind kind = HistogramKind::kWeights;
  QString layer = {};  // one that the run does not have: the first that it has
  bool operator==(const HistogramChoice&) const = default;
};

// What a run has recorded of one layer.
struct RunHistograms {
  HistogramChoice choice = {};
  QStringList layers = {};                // of the kind, from the bottom of the network to its top
  std::vector<StepHistogram> steps = {};  // ascending
  bool recorded = false;                  // histograms of any kind
};

// Reads the histograms of one layer of a run, and those that come while it trains.
class HistogramWatch {
 public:
  using News = RunHistograms;

  explicit HistogramWatch(HistogramChoice choice) : choice_(std::move(choice)) {}
  void read(OpenWorkspace& open, const Send<News>& send);
  // None if nothing has changed since the last call.
  std::optional<RunHistograms> read(const std::filesystem::path& runFolder);

 private:
  bool open(const std::filesystem::path& runFolder);

  HistogramChoice choice_;
  std::optional<HistogramLog> log_;
  bool sent_ = false;
};

}  // namespace strata::ui

Q_DECLARE_METATYPE(strata::ui::HistogramChoice)
Q_DECLARE_METATYPE(strata::ui::RunHistograms)
