#pragma once
#include <QHash>
#include <QStringList>
#include <QVector>
#include <map>
#include <utility>

#include "core/store/scalars.h"
#include "core/store/workspace.h"
#include "ui/data/any_watch.h"

namespace strata::ui {

// Reads the points of series: all of them at first, then those that have come.
class SeriesWatch {
 public:
  // A key with an empty name asks only for the names of its run's series.
  explicit SeriesWatch(const QVector<SeriesKey>& keys);

  struct News {
    QVector<std::pair<qint64, QStringList>> names;  // of runs whose list of series has changed
    QVector<SeriesPoints> points;
  };
  // Series that were watched before go on; others begin with all their points.
  void goOnFrom(SeriesWatch& earlier);
  News read(Workspace& workspace);
  // In parts that the window takes in without a pause.
  void read(OpenWorkspace& open, const Send<News>& send);
  // Points in the same order, at most so many in each part; a long series goes on in the next.
  static QVector<QVector<SeriesPoints>> inParts(const QVector<SeriesPoints>& points,
                                                std::size_t most);

 private:
  std::map<SeriesKey, SeriesCursor> watched_;
  QHash<qint64, QStringList> names_;  // as last returned
};

}  // namespace strata::ui
