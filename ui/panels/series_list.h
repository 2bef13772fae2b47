#pragma once
#include <QHash>
#include <QWidget>

#include "core/base/json.h"
#include "ui/data/values.h"

class QLineEdit;
class QListWidget;

namespace strata::ui {

// The series that the drawn runs have, with a check mark each. Until the user ticks one, the most
// informative ones are ticked.
class SeriesList : public QWidget {
  Q_OBJECT
 public:
  explicit SeriesList(QWidget* parent = nullptr);

  void setRuns(const QVector<qint64>& runs);  // the drawn ones
  void setNames(qint64 run, const QStringList& names);
  void tick(const QStringList& names);

  QStringList names() const;  // all that any of the runs has
  bool has(const SeriesKey& key) const { return names_.value(key.runId).contains(key.name); }
  QStringList ticked() const;
  QVector<SeriesKey> keys() const;  // the ticked series that the runs have
  bool isNamed(qint64 run) const { return names_.contains(run); }  // its series are known

  Json saveState() const;
  void restoreState(const Json& state);

 signals:
  void changed();

 private:
  void refresh();
  void tickDefaults();
  void filter();

  QListWidget* list_;
  QLineEdit* filter_;
  QVector<qint64> runs_;
  QHash<qint64, QStringList> names_;  // series of each run
  bool chosen_ = false;               // the user has ticked series: stop applying defaults
  QStringList restored_;              // of the last session, until they are in the list
};

// Series in the order of their charts: the most informative first.
void sortSeries(QStringList& names);

}  // namespace strata::ui
