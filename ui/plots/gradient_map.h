#pragma once
#include <QVector>

#include "ui/data/gradient_flow.h"
#include "ui/plots/chart.h"
#include "ui/plots/plot_cursor.h"

class QCPAxisRect;
class QCPLayoutGrid;
class QCPRange;
class QCustomPlot;

namespace strata::ui {

// Layers x steps maps of gradient norms side by side, on one colour scale and one range of steps.
// The wheel zooms and a drag pans along the steps; a double click shows all. Non-finite norms are
// marked with a red cross and a line through their step. A cell is the largest norm of its steps.
// The maps have the same rows, so that a layer is at the same height in both. The arrow keys, Home
// and End move a cursor over the cells; Enter chooses its step, like a click.
class GradientMapView : public Chart {
  Q_OBJECT
 public:
  struct Map {
    QString title;
    QVector<SeriesPoints> series;
  };

  explicit GradientMapView(QWidget* parent = nullptr);

  void setMaps(QVector<Map> maps);
  void setLogarithmic(bool on);  // the colour scale; on by default
  QStringList titles() const;
  StepRange range() const { return range_; }
  void showRange(const StepRange& range);  // what of it has norms

  struct Cell {
    int map = -1, layer = 0, bin = 0;
  };
  QString readout(const Cell& cell) const;
  Cell cursor() const { return cursor_; }  // map -1: none
  const QVector<GradientFlow>& flows() const { return flows_; }

 signals:
  void stepChosen(int map, qint64 step);  // by a click or Enter

 protected:
  void keyPressEvent(QKeyEvent* event) override;
  void focusInEvent(QFocusEvent* event) override;
  void focusOutEvent(QFocusEvent* event) override;
  QSize pictureSize() const override;

 private:
  void restyle() override { rebuild(); }
  void writePicture(const QString& path) override;
  void writeValues(QTextStream& out) const override;
  void rebuild();
  void addMap(int index, const GradientFlow& flow, bool named);  // named: its layers have labels
  void addNames(const QCPAxisRect* rect, const GradientFlow& flow);
  void addScale(const QCPRange& norms);  // over all maps: lowest positive and highest norm
  void styleRect(QCPAxisRect* rect, const GradientFlow& flow, bool named);
  void addBreak(QCPAxisRect* rect, double step);
  void showCursor();
  void chooseAt(const QPoint& position);
  qint64 stepOf(const Cell& cell) const;  // the first of the cell

  QCustomPlot* plot_;
  PlotCursor ring_;
  QCPLayoutGrid* grid_ = nullptr;  // owned by plot_; rebuilt with the maps
  QVector<Map> maps_;
  QStringList layers_;           // of all maps
  QVector<GradientFlow> flows_;  // as drawn, one per map
  QVector<QCPAxisRect*> rects_;  // owned by grid_
  Cell cursor_;
  QPoint pressed_;
  StepRange whole_, range_;
  bool logarithmic_ = true, rebuilding_ = false, picture_ = false;
};

}  // namespace strata::ui
