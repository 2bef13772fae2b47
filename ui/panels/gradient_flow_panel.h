#pragma once
#include <QHash>
#include <QSet>
#include <QTimer>
#include <QWidget>

#include "ui/data/values.h"

class QAction;
class QComboBox;
class QLabel;

namespace strata::ui {
class EmptyStack;
class GradientMapView;

// The gradient norm of each encoder and decoder layer over training, two runs side by side. It
// requests series by a signal, repeatedly while a run trains, and receives values.
class GradientFlowPanel : public QWidget {
  Q_OBJECT
 public:
  explicit GradientFlowPanel(QAction* runDemo, QWidget* parent = nullptr);

  void setRuns(const QVector<RunRow>& runs);  // oldest first, as the workspace sends them
  void setSeries(qint64 run, const QVector<SeriesPoints>& series);
  void showRun(qint64 run);
  void exportTo(const QString& path);  // .png, .svg, .pdf, or all points as .csv; throws Error

  bool isEmpty() const;
  bool isUpToDate() const;
  GradientMapView* map() const { return map_; }

 signals:
  void seriesRequested(qint64 run);  // those that are named kGradientPrefix...
  void failed(const QString& message);

 protected:
  void showEvent(QShowEvent* event) override;

 private:
  QWidget* makeToolBar();
  void addExport(QWidget* bar);
  void refill(QComboBox* list, bool allowNone);
  void chooseRuns();
  void ask();
  void draw();
  void chooseExport();
  QVector<qint64> chosen() const;

  QComboBox *first_, *second_;
  QLabel* note_;
  GradientMapView* map_;
  EmptyStack* stack_;
  QTimer again_;
  QVector<RunRow> runs_;  // newest first
  QHash<qint64, QVector<SeriesPoints>> series_;
  QHash<qint64, qint64> requestedAt_;  // step of the run when its series were last requested
  QSet<qint64> pending_;               // requested, not yet received
};

}  // namespace strata::ui
