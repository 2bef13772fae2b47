#pragma once
#include <QHash>
#include <QObject>
#include <QSet>
#include <QVector>

#include "core/base/json.h"
#include "ui/data/values.h"

namespace strata::ui {

// A run whose curves are drawn. Runs that differ only in their seed share a line.
struct DrawnRun {
  qint64 run = 0;
  QString name;
  int line = 0;  // the place of its colour, dash and marker; the same in every picture

  bool operator==(const DrawnRun&) const = default;
};

// Which runs of the workspace are drawn: the newest at first, as many as can be told apart, then
// what the user chooses, and each run that starts.
class DrawnRuns : public QObject {
  Q_OBJECT
 public:
  using QObject::QObject;

  void setRuns(const QVector<RunRow>& runs);
  void choose(const QVector<qint64>& runs);  // these and no others; unknown ones are ignored
  // A list in sight shows which line is which run.
  void setListed(bool listed) { emit listedChanged(listed); }

  QVector<qint64> ids() const;  // newest first
  const QVector<DrawnRun>& all() const { return drawn_; }
  bool isDrawn(qint64 run) const { return chosen_.contains(run); }

  Json saveState() const;
  void restoreState(const Json& state);  // before the first setRuns

 signals:
  void changed(const QVector<strata::ui::DrawnRun>& runs);
  void listedChanged(bool listed);

 private:
  void addFirst();
  void update();

  QVector<RunRow> runs_;  // newest first, none of the trash
  QSet<qint64> chosen_, running_;
  QVector<QString> lines_;  // keys of groups in the order in which they were first drawn
  QVector<qint64> restored_;
  bool begun_ = false;  // runs have been chosen
  QVector<DrawnRun> drawn_;
};

}  // namespace strata::ui
