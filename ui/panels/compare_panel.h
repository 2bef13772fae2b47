#pragma once
#include <QTimer>
#include <QVector>
#include <QWidget>

#include "ui/data/comparison_service.h"
#include "ui/data/values.h"
#include "ui/rpc/set_translations.h"

class QAction;
class QCheckBox;
class QComboBox;
class QLabel;
class QLineEdit;
class QMenu;
class QProgressBar;
class QSpinBox;
class QTabWidget;
class QToolButton;

namespace strata::ui {
class BucketsView;
class ComparisonView;
class EmptyStack;
class NGramsView;
class ScoresView;
class SentenceView;
class SystemList;
class WordsView;

// Systems on one test set side by side: scores with intervals and tests, buckets, n-grams, words,
// sentences. It selects what is compared and draws the result; the service computes it. A new
// selection is compared automatically after a short delay.
class ComparePanel : public QWidget {
  Q_OBJECT
 public:
  ComparePanel(ComparisonService* service, QAction* runDemo, QWidget* parent = nullptr);

  // Looks for new systems: at once if the panel is visible, else when it is shown. Nothing happens
  // before the first call, which must wait until the workspace exists.
  void refresh();
  void setRuns(const QVector<RunRow>& runs);  // runs that have a checkpoint, newest first
  // What is compared and how it is shown; restoreState ignores what it does not understand.
  QByteArray saveState() const;
  void restoreState(const QByteArray& state);
  void exportTo(const ExportTarget& target);

  bool isEmpty() const;                     // there are no systems
  bool isUpToDate() const;                  // the selection has been compared and drawn
  QString error() const { return error_; }  // of the latest comparison; empty: none

  SystemList* systems() const { return list_; }
  QTabWidget* tabs() const { return tabs_; }
  SentenceView* sentences() const { return sentences_; }
  const ComparisonPointer& comparison() const { return comparison_; }

 signals:
  void failed(const QString& message);
  void notice(const QString& message);  // not an error
  void translationRequested(const strata::ui::SetTranslations::Task& task);
  // A word of a run's translation was selected: show what its model attended to.
  void attentionRequested(qint64 run, const QString& source);

 protected:
  void showEvent(QShowEvent* event) override;
  void dragEnterEvent(QDragEnterEvent* event) override;
  void dropEvent(QDropEvent* event) override;

 private:
  QWidget* makeChoices();
  QWidget* makeResults();
  QMenu* makeMetricMenu();
  QMenu* makeExportMenu();
  QToolButton* makeAddButton();
  void connectService();
  void connectViews();

  void receiveList(const SystemsList& list);
  void fillSets();
  void showSystems();  // of the chosen set
  void choiceChanged();
  void compareChosen();
  void receive(const ComparisonPointer& comparison);
  void showProblem(const QString& message);
  void setBusy(bool busy);
  void describe();
  void filterByNGram(const QString& ngram);
  void openWord(std::size_t system, std::size_t position);
  void importFile(const QString& path);
  void importSet();
  void translateSet();
  void chooseExport(ExportTarget::Kind kind);
  void exportPictures();
  void setMainMetric(TextState state);
  QLayout* makeLengthChoices(QWidget* side);
  std::vector<double> chosenEdges() const;
  QString chosenSet() const;
  TextState chosenState() const;
  std::vector<std::string> chosenMetrics() const;
  CompareRequest request() const;

  ComparisonService* service_;
  QVector<RunRow> runs_;
  SystemsList known_;
  QComboBox *set_, *state_, *metric_, *test_;
  QCheckBox* lowercase_;
  QLineEdit* edges_;
  QSpinBox* equalCounts_;
  QToolButton* more_;  // more metrics
  QVector<QAction*> further_;
  SystemList* list_;
  QLabel *title_, *note_;
  QProgressBar* busy_;
  QTabWidget* tabs_;
  ScoresView* scores_;
  BucketsView* buckets_;
  NGramsView* ngrams_;
  WordsView* words_;
  SentenceView* sentences_;
  EmptyStack *stack_, *results_;
  QTimer compareTimer_;  // delays the comparison after a change
  ComparisonPointer comparison_;
  QAction* translate_;
  QStringList restored_;  // systems of the last session; the first is the baseline
  QString restoredSet_;
  CompareRequest asked_;  // the latest; once done, `comparison_` or `error_` is its result
  QString error_;
  bool underWay_ = false, listed_ = false, stale_ = false;
};

}  // namespace strata::ui
