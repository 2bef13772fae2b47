#pragma once
#include <qcustomplot.h>

#include <QObject>
#include <QPoint>
#include <optional>

namespace strata::ui {

// Wheel and drag change the range of a plot's x axis, or over the y axis of that one. They leave
// the drawing to whoever sees the ranges change, while QCustomPlot's own interactions draw at once
// what that draws again.
class PlotGestures : public QObject {
  Q_OBJECT
 public:
  explicit PlotGestures(QCustomPlot* plot);  // which owns it

 signals:
  void yTaken();  // by the user, before it changes

 private:
  struct Drag {
    QCPAxis* axis = nullptr;
    QPoint from;
    QCPRange range;
  };

  QCPAxis* axisAt(const QPoint& position) const;
  void zoom(const QWheelEvent& event);
  void begin(const QPoint& position);
  void drag(const QPoint& position);

  QCustomPlot* plot_;
  std::optional<Drag> drag_;  // none: no button is pressed
};

}  // namespace strata::ui
