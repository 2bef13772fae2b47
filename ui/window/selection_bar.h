#pragma once
#include <QVector>
#include <QWidget>
#include <functional>

#include "ui/data/selection.h"
#include "ui/data/values.h"

class QAction;
class QHBoxLayout;
class QToolButton;

namespace strata::ui {

// The window's selection in one line: back and forward, then a chip for each part of it. A click
// on a chip lists what can be chosen there.
class SelectionBar : public QWidget {
  Q_OBJECT
 public:
  SelectionBar(QAction* back, QAction* forward, QWidget* parent);

  void setRuns(const QVector<RunRow>& runs);
  void setSelection(const Selection& selection);

 signals:
  void chosen(const strata::ui::Selection& choice);

 private:
  QToolButton* addChip(const QString& name, const QString& tip,
                       const std::function<void(QToolButton*)>& choose);
  const RunRow* run(std::optional<qint64> id) const;
  void chooseRun(QToolButton* chip, bool other);
  void chooseStep(QToolButton* chip);
  void update();

  QVector<RunRow> runs_;  // newest first, none of the trash
  Selection selection_;
  QHBoxLayout* layout_;
  QToolButton *run_, *other_, *moment_, *set_, *sentence_, *hypothesis_, *word_;
};

}  // namespace strata::ui
