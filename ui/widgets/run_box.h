#pragma once
#include <QComboBox>

#include "ui/data/values.h"

namespace strata::ui {
class RunBoxModel;

// The run that a panel shows, of those that it can show. Panels follow the window's current run; a
// pinned one shows its box to choose another. A box of another role is kept in sight. Boxes share
// the runs with whoever lists them: there may be thousands, in a dozen boxes.
class RunBox : public QComboBox {
  Q_OBJECT
 public:
  explicit RunBox(QWidget* parent = nullptr);

  void keepShown();
  bool isKeptShown() const { return kept_; }
  // The entry above the runs that stands for none of them: run 0. Before setRuns().
  void setNone(const QString& text);
  // Lists these and selects one of them; the first entry if it is not there. Emits nothing.
  void setRuns(const QVector<RunRow>& runs, qint64 selected);
  bool lists(const QVector<RunRow>& runs) const;  // these, under these names, in this order
  bool showRun(qint64 run);                       // false: it is not in the list
  qint64 run() const { return currentData().toLongLong(); }  // 0: none
  // What to do about the selected run if its folder is missing; empty: it is there.
  QString problem() const;

 private:
  bool kept_ = false;
  RunBoxModel* model_;
};

}  // namespace strata::ui
