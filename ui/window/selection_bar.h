#pragma once
#include <QTimer>
#include <QVector>
#include <QWidget>
#include <functional>

#include "ui/data/comparison_values.h"
#include "ui/data/selection.h"
#include "ui/data/values.h"

class QAction;
class QHBoxLayout;
class QSlider;
class QToolButton;

namespace strata::ui {

// The window's selection in one line: back and forward, then a chip for each part of it that the
// perspective uses. A click on a chip lists what can be chosen there; a slider stops at every
// recorded step of the current run.
class SelectionBar : public QWidget {
  Q_OBJECT
 public:
  SelectionBar(QAction* back, QAction* forward, QWidget* parent);

  void setRuns(const QVector<RunRow>& runs);
  void setSystems(const SystemsList& systems);  // of their test sets
  void setDatasets(const QVector<DatasetRow>& datasets);
  void setSelection(const Selection& selection);
  void setPerspective(const QString& name);
  // Asked when a chip is clicked.
  void setChoices(const std::function<SelectionChoices()>& choices) { choices_ = choices; }

 signals:
  void chosen(const strata::ui::Selection& choice);
  void amended(const strata::ui::Selection& choice);  // the same choice goes on: the slider moves

 private:
  using Choose = void (SelectionBar::*)(QToolButton* chip);
  QToolButton* addChip(const QString& name, const QString& tip, Choose choose);
  void addSlider();
  const RunRow* run(std::optional<qint64> id) const;
  void chooseRun(QToolButton* chip) { chooseRun(chip, false); }
  void chooseOther(QToolButton* chip) { chooseRun(chip, true); }
  void chooseRun(QToolButton* chip, bool other);
  void chooseStep(QToolButton* chip);
  void chooseSet(QToolButton* chip);
  void chooseSentence(QToolButton* chip);
  void chooseHypothesis(QToolButton* chip);
  void chooseWord(QToolButton* chip);
  void open(QToolButton* chip, const QStringList& texts, qsizetype current,
            const QString& emptyText, const std::function<void(int)>& choose);
  void slideTo(int index);
  void tellStep();
  void update();
  void updateStep(const RunRow* current);
  void showChip(QToolButton* chip, const QString& text, const QString& tip, bool used);
  bool uses(const QToolButton* chip) const;  // the perspective does

  QVector<RunRow> runs_;  // newest first, none of the trash
  QStringList sets_, datasets_;
  Selection selection_;
  QString perspective_;
  std::function<SelectionChoices()> choices_;
  QHBoxLayout* layout_;
  QToolButton *run_, *other_, *moment_, *set_, *sentence_, *hypothesis_, *word_;
  QSlider* slider_ = nullptr;
  QVector<qint64> steps_;  // of the slider
  QTimer sliding_;         // the latest step of a movement is told at its end
  bool slid_ = false;      // a step of the present movement has been told
};

}  // namespace strata::ui
