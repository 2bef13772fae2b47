#pragma once
#include <QHash>
#include <QTimer>

#include "ui/data/paper_values.h"
#include "ui/data/values.h"
#include "ui/panels/panel.h"

class QAction;
class QComboBox;
class QLabel;
class QProgressBar;
class QPushButton;
class QScrollArea;
class QSpinBox;
class QStackedWidget;
class QTextBrowser;

namespace strata::ui {
class Chart;
class ReportTable;

// The papers' tables and figures as live objects: what each paper prints next to what the runs at
// hand have, the state of each run, and buttons that queue what is missing and score what is
// trained. It shows what `strata-run paper show` prints.
class PapersPanel : public Panel {
  Q_OBJECT
 public:
  explicit PapersPanel(QWidget* parent = nullptr);

  void setRuns(const QVector<RunRow>& runs);
  void setDatasets(const QVector<DatasetRow>& datasets);
  void setItems(const QByteArray& json);   // of `paper list`
  void setResult(const QByteArray& json);  // of `paper show`
  void setError(const QString& message);   // of either
  void setQueued(const QByteArray& json);  // of `paper run`
  // `paper score` goes on, or has ended; how far it is; what it has scored; why it failed.
  void setScoring(bool on);
  void showScoring(qint64 done, qint64 total);
  void setScored(const QString& id);
  void setScoringError(const QString& message);

  const PaperResult& result() const { return result_; }
  PaperChoice choice() const;

  bool isUpToDate() const override;
  QString error() const override { return error_; }
  void showExample() override;  // a table of the newest run's paper, on its dataset
  Here here() const override;
  Json saveState() const override;
  void restoreState(const Json& state) override;

 signals:
  // Command lines for strata-run.
  void listRequested(const QStringList& arguments);
  void resultRequested(const QStringList& arguments);
  void queueRequested(const QStringList& arguments);
  void scoreRequested(const QString& id, const QStringList& arguments);
  void scoreCancelled();
  void exportRequested(const QStringList& arguments, const QString& path);

 protected:
  void showEvent(QShowEvent* event) override;
  void changeEvent(QEvent* event) override;

 private:
  void follow(const Selection& choice) override;
  QWidget* makeChoices();
  QWidget* makeTools();
  QWidget* makeTablePage();
  QWidget* makeFigurePage();
  void addCommands(QLayout* bar);
  void addExports(QLayout* bar);
  void fillDatasets();
  void choose();  // another table, figure, dataset, suffix or number of seeds
  void refresh();
  void measure();
  void showResult();
  void showTable();
  void showRow();
  void showFigure();
  void showState();
  void addButton(int row);
  QStringList statesOfRows() const;
  QString stateOfRow(int row) const;  // "1 running 62 %, 2 missing"
  void queue(const QStringList& rows);
  void openRuns(const QStringList& names);
  void exportTable(const QString& path);
  void exportPictures(const QString& path);

  QString recipe() const;
  const RunRow* runNamed(const QString& name) const;  // null: there is none
  QString statusOf(const QString& name) const;  // "missing", "running 62 %", "trained, not scored"
  QStringList runsOfRow(int row) const;
  int missingOf(const QString& row) const;  // empty: of all
  QString notesHtml() const;
  Table cellsOf(const PaperRowState& row) const;
  // Of the runs that it needs, by which a measurement is out of date.
  QStringList statusesNow() const;
  QStringList statusesMeasured() const;

  QComboBox *items_, *datasets_, *suffix_;
  QSpinBox* seeds_;
  QAction *queueAll_, *score_, *refresh_;
  QProgressBar* progress_;
  QPushButton* cancel_;
  QLabel *heading_ = nullptr, *problem_ = nullptr;
  QStackedWidget* pages_;
  ReportTable *table_, *cells_;
  QTextBrowser *notes_, *figureNotes_;
  QScrollArea* drawings_;
  QVector<Chart*> drawn_;  // of the figure; in drawings_

  QVector<RunRow> runs_;
  QVector<DatasetRow> known_;
  QVector<PaperItem> list_;
  PaperResult result_;
  PaperChoice measured_;  // what `result_` is of
  QStringList statuses_;  // the latest
  QStringList states_;    // shown in the table
  QString restoredItem_, error_;
  QString dataset_;  // chosen last; a workspace may lack it
  QTimer timer_;
  bool listed_ = false, asked_ = false, stale_ = true, repeated_ = false;
  bool example_ = false;
};

}  // namespace strata::ui
