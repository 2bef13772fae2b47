#pragma once
#include <QTimer>
#include <QVector>

#include "core/compare/comparison_filter.h"
#include "ui/data/comparison_values.h"
#include "ui/data/values.h"
#include "ui/panels/panel.h"
#include "ui/rpc/set_translations.h"

class QAction;
class QLabel;
class QMenu;
class QProgressBar;
class QTabWidget;

namespace strata::ui {
class BucketsView;
class CompareChoices;
class CompareImports;
class ComparisonView;
class EmptyStack;
class NGramsView;
class ScoresView;
class SentenceView;
class SystemList;
class WordsView;

// Systems on one test set side by side: scores with intervals and tests, buckets, n-grams, words,
// sentences. It requests what is chosen by signals and draws the results. A new choice is compared
// automatically after a short delay.
class ComparePanel : public Panel {
  Q_OBJECT
 public:
  explicit ComparePanel(QAction* runDemo, QWidget* parent = nullptr);

  // Looks for new systems: at once if the panel is visible, else when it is shown. Nothing happens
  // before the first call, which must wait until the workspace exists.
  void refresh();
  void setRuns(const QVector<RunRow>& runs);  // runs that have a checkpoint, newest first
  void exportTo(const ExportTarget& target);

  // Answers to requests.
  void setList(const SystemsList& list);
  void setComparison(const ComparisonPointer& comparison);
  void setComparisonError(const QString& message);
  void confirmExport(const QString& path);

  bool isUpToDate() const override;                  // the selection has been compared and drawn
  QString error() const override { return error_; }  // of the latest comparison; empty: none
  SelectionChoices choices() const override;         // its sentences
  Here here() const override;
  Json saveState() const override;
  void restoreState(const Json& state) override;

  SystemList* systems() const;
  CompareImports* imports() const { return imports_; }
  QTabWidget* tabs() const { return tabs_; }
  SentenceView* sentences() const { return sentences_; }
  const ComparisonPointer& comparison() const { return comparison_; }

 signals:
  void listRequested();
  void compareRequested(const strata::ui::CompareRequest& request);
  void filterRequested(const strata::ui::ComparisonPointer& comparison,
                       const strata::SentenceFilter& filter);
  void exportRequested(const strata::ui::ComparisonPointer& comparison,
                       const strata::ui::ExportTarget& target);
  void trashSystemRequested(const QString& id);
  void trashScoresRequested(const QString& id, const QString& metric);
  void restoreRequested(const strata::ui::TrashedItem& item);
  void translationRequested(const strata::ui::SetTranslations::Task& task);

 protected:
  void showEvent(QShowEvent* event) override;
  void dragEnterEvent(QDragEnterEvent* event) override;
  void dropEvent(QDropEvent* event) override;

 private:
  void follow(const Selection& choice) override;
  void showChosenSentence();
  QWidget* makeResults();
  QLayout* makeHead(QWidget* content);
  QMenu* makeExportMenu();
  Empty emptyTexts(QAction* runDemo);
  void connectChoices();
  void connectViews();

  void choiceChanged();
  void compareChosen();
  void describe();
  void filterByNGram(const QString& ngram);
  void openWord(std::size_t system, std::size_t position, int word);
  QStringList command(bool withFiles) const;
  void translateSet();
  void chooseExport(ExportTarget::Kind kind, const QString& ending);
  void exportPictures();

  QVector<RunRow> runs_;
  SystemsList known_;
  CompareChoices* choices_;
  CompareImports* imports_;
  QLabel *title_, *note_;
  QProgressBar* busy_;  // visible while a comparison is under way
  QTabWidget* tabs_;
  ScoresView* scores_;
  BucketsView* buckets_;
  NGramsView* ngrams_;
  WordsView* words_;
  SentenceView* sentences_;
  EmptyStack* results_;
  QTimer compareTimer_;  // delays the comparison after a change
  ComparisonPointer comparison_;
  QString sentence_;  // the chosen one; empty: none
  QAction* translate_;
  CompareRequest asked_;     // the latest; once done, `comparison_` or `error_` is its result
  CompareRequest compared_;  // that of `comparison_`
  QString error_;
  bool listed_ = false, stale_ = false;
};

}  // namespace strata::ui
