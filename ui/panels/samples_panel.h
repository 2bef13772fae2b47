#pragma once
#include <vector>

#include "core/store/runs.h"
#include "ui/data/values.h"
#include "ui/panels/panel.h"

class QAction;
class QCheckBox;
class QListWidget;
class QTextBrowser;

namespace strata::ui {
class RunBox;

// Some sentences that a run translates at each validation: how their translations change while it
// learns. Words that the reference lacks are marked.
class SamplesPanel : public Panel {
  Q_OBJECT
 public:
  explicit SamplesPanel(QAction* runDemo, QWidget* parent = nullptr);

  void setRuns(const QVector<RunRow>& runs);
  void setSamples(qint64 run, const std::vector<SampledSentence>& sentences);
  QString text() const;  // of the sentence shown

  bool isUpToDate() const override { return isEmpty() || arrived_; }  // while it is visible
  SelectionChoices choices() const override;
  Here here() const override;
  Json saveState() const override;
  void restoreState(const Json& state) override;

 signals:
  void runChosen(qint64 run);  // whose samples it wants; 0: none, it is hidden

 protected:
  void showEvent(QShowEvent* event) override;
  void hideEvent(QHideEvent* event) override;
  void changeEvent(QEvent* event) override;

 private:
  void follow(const Selection& choice) override;
  void choose();
  void showSentence();

  RunBox* runs_;
  QCheckBox* changes_;
  QListWidget* sentences_;
  QTextBrowser* history_;
  std::vector<SampledSentence> samples_;
  QString problem_;         // that it says in place of the sentence
  qint64 restoredRun_ = 0;  // the last session's, until it is in the list
  int restoredSentence_ = 0;
  bool arrived_ = false;
};

}  // namespace strata::ui
