#pragma once
#include <QTimer>

#include "ui/data/paper_runs.h"
#include "ui/data/paper_values.h"
#include "ui/data/values.h"
#include "ui/panels/panel.h"

class QAction;
class QLabel;
class QProgressBar;
class QPushButton;
class QStackedWidget;
class QVBoxLayout;

namespace strata::ui {
class PaperChoiceBar;
class PaperFigureView;
class PaperTableView;

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

  const PaperResult& result() const { return runs_.result(); }
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
  void addHeading(QLayout* layout);
  void addPages(QVBoxLayout* layout);
  QWidget* makeTools();
  void addScoring(QLayout* bar);
  void addCommands(QLayout* bar);
  void addExports(QLayout* bar);
  void choose();  // another table, figure, dataset, suffix or number of seeds
  void refresh();
  void measure();
  void requestList();
  void showResult();
  void showState();
  void queue(const QStringList& rows);
  void openRuns(const QStringList& names);
  QString fileName() const;  // suggested for what is shown
  void askForTableFile();
  void exportTable(const QString& path);
  void exportPictures(const QString& path);

  PaperChoiceBar* choices_;
  QAction *queueAll_, *score_, *refresh_;
  QProgressBar* progress_;
  QPushButton* cancel_;
  QLabel *heading_ = nullptr, *problem_ = nullptr;
  QStackedWidget* pages_;
  PaperTableView* table_;
  PaperFigureView* figure_;

  PaperRuns runs_;        // with the result that is shown
  PaperChoice measured_;  // what the result is of
  QStringList statuses_;  // the latest
  QString error_;
  QTimer timer_;
  bool asked_ = false, stale_ = true, repeated_ = false;
  bool example_ = false;
};

}  // namespace strata::ui
