#pragma once
#include <QString>
#include <QVector>
#include <array>
#include <map>
#include <optional>
#include <utility>

#include "core/inside/hop_weights.h"
#include "ui/data/any_watch.h"

namespace strata::ui {

// Reads the hop weights of one run over training: one mean per recorded step and side. Each
// recording is read once.
class MeansWatch {
 public:
  static constexpr std::array<const char*, 2> kSides{"encoder", "decoder"};
  using Means = std::array<QVector<HopMeans>, 2>;  // of kSides, by step
  struct News {
    qint64 run = 0;
    Means means;
  };

  explicit MeansWatch(qint64 run) : run_(run) {}  // 0: none
  void goOnFrom(MeansWatch& earlier) { means_ = std::move(earlier.means_); }
  void read(OpenWorkspace& open, const Send<News>& send);
  // The means of these steps of the run, ascending; none if they are those of the last call.
  std::optional<Means> read(Workspace& workspace, const QVector<qint64>& steps);

 private:
  qint64 run_ = 0;
  QVector<qint64> steps_;                                               // of the last call
  std::map<std::pair<qint64, qint64>, std::array<HopMeans, 2>> means_;  // by run and step
};

}  // namespace strata::ui
