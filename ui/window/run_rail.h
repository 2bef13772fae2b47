#pragma once
#include <QSet>
#include <QString>
#include <QTimer>
#include <QWidget>
#include <optional>
#include <vector>

#include "ui/data/selection.h"
#include "ui/window/run_tree.h"

class QLabel;
class QLineEdit;
class QTreeView;

namespace strata::ui {
class ShortNameDelegate;

// The runs at the left of the window. An eye draws a run; a click or Enter makes it the current
// one, with Shift the other one, which differences are to; a checkpoint or a translation chooses
// itself with its run.
class RunRail : public QWidget {
  Q_OBJECT
 public:
  explicit RunRail(QWidget* parent);

  void setRuns(const QVector<RunRow>& runs);
  void setSystems(const SystemsList& systems) { tree_->setSystems(systems); }
  // How far the running ones are, shown at most once per second.
  void setActivity(const std::vector<RunActivity>& runs);
  void setDrawn(const QVector<DrawnRun>& runs) { tree_->setDrawn(runs); }
  void setSelection(const Selection& selection);
  // Of a run that is clicked with the right button, after it has become the current one.
  void setRunActions(const QList<QAction*>& actions) { actions_ = actions; }

  QTreeView* view() const { return view_; }
  RunTree* tree() const { return tree_; }
  Json saveState() const;
  void restoreState(const Json& state);

 signals:
  void chosen(const strata::ui::Selection& choice);
  void drawRequested(const QVector<qint64>& runs, bool drawn);
  void menuRequested(qint64 run);  // of the run's actions

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;  // of the view

 private:
  void makeView();
  void choose(const QModelIndex& index, bool other);
  void openMenu(const QPoint& position);
  void setRunsShown();
  void showActivity();
  void fitState();
  void noteFold(const QModelIndex& index, bool unfolded);
  void restoreFold(const QModelIndex& index);
  void keepView();
  void restoreView();

  RunTree* tree_;
  QTreeView* view_;
  ShortNameDelegate* names_;
  QLineEdit* filter_;
  QLabel* count_;
  QList<QAction*> actions_;
  QSet<QString> turned_;             // keys of what the user has folded or unfolded
  QString cursor_;                   // key of the row with the cursor
  QHash<QString, int> stateWidths_;  // pixels; measured once, since shaping text is slow
  std::optional<std::vector<RunActivity>> activity_;  // that is not shown yet
  QTimer activityTimer_;
  int scrolled_ = 0;
  int runs_ = 0;
  bool toggled_ = false;  // the click was on the eye
};

}  // namespace strata::ui
