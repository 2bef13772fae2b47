#pragma once
#include <QHash>
#include <QSet>
#include <QWidget>

#include "core/base/json.h"
#include "ui/data/values.h"

class QLineEdit;
class QListWidget;
class QVBoxLayout;

namespace strata::ui {

// Which curves are drawn: a list of runs and a list of the ticked runs' series, with check marks.
// The newest run is ticked at first, and each run that starts; until the user ticks a series, the
// most informative ones are.
class CurveLists : public QWidget {
  Q_OBJECT
 public:
  explicit CurveLists(QWidget* parent = nullptr);

  void setRuns(const QVector<RunRow>& runs);
  void setSeriesNames(qint64 run, const QStringList& names);
  void tickRuns(const QVector<qint64>& runs);  // these and no others
  void tickSeries(const QStringList& names);

  bool isEmpty() const;          // no run
  QVector<qint64> runs() const;  // ticked, newest first
  QStringList series() const;    // ticked
  QStringList names() const;     // of all series of the ticked runs
  bool has(const SeriesKey& key) const { return names_.value(key.runId).contains(key.name); }
  QVector<SeriesKey> keys() const;  // the ticked series that the ticked runs have
  bool isNamed(qint64 run) const { return names_.contains(run); }  // its series are known
  QString label(qint64 run) const { return labels_.value(run); }
  int line(qint64 run) const;  // of a ticked run, for lineStyle()
  void refreshColours();

  Json saveState() const;
  void restoreState(const Json& state);

 signals:
  void changed();
  void runsTicked(const QVector<qint64>& runs);  // by the user, after changed()

 private:
  QListWidget* addList(const QString& title, const QString& name);
  void refresh();
  void refreshSeries();
  void tickDefaults();
  void giveColours();
  void filter();
  QSet<qint64> firstTicks(const QVector<RunRow>& shown);

  QListWidget *runs_, *series_;
  QLineEdit* filter_;
  QHash<qint64, QStringList> names_;  // series of each run
  QHash<qint64, QString> labels_;
  QVector<qint64> coloured_;  // the runs that have been drawn, in the order of their colours
  QSet<qint64> running_;
  bool seriesChosen_ = false;  // the user has ticked series: stop applying defaults
  // Of the last session, until they are in the lists.
  QVector<qint64> restoredRuns_;
  QStringList restoredSeries_;
};

// Series in the order of their charts: the most informative first.
void sortSeries(QStringList& names);

}  // namespace strata::ui
