#pragma once
#include <QHash>
#include <QStringList>
#include <QVector>
#include <map>
#include <utility>

#include "core/store/scalars.h"
#include "core/store/workspace.h"
#include "ui/data/values.h"

namespace strata::ui {

// Reads the points of series that have come since it last read.
class SeriesWatch {
 public:
  // Series that were watched before go on; others begin with all their points. As in
  // WorkspaceService::watchSeries.
  void watch(const QVector<SeriesKey>& keys);

  struct News {
    QVector<std::pair<qint64, QStringList>> names;  // of runs whose list of series has changed
    QVector<SeriesPoints> points;
  };
  News read(Workspace& workspace);
  // Points in the same order, at most so many in each part; a long series goes on in the next.
  static QVector<QVector<SeriesPoints>> inParts(const QVector<SeriesPoints>& points,
                                                std::size_t most);

 private:
  std::map<SeriesKey, SeriesCursor> watched_;
  QHash<qint64, QStringList> names_;  // as last returned
};

}  // namespace strata::ui
