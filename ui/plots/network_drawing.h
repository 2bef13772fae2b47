#pragma once
#include <QStringList>

#include "core/run/network.h"
#include "core/run/network_layout.h"
#include "ui/plots/chart.h"

namespace strata::ui {

// A model as boxes, a column per encoder or decoder from its input upwards, with each layer's width
// and parameters, and the connections between them: straight on, over layers at the side of the
// column, and from column to column. The part that is clicked or chosen with the arrow keys keeps
// its connections; the others fade.
class NetworkDrawing : public PaintedChart {
  Q_OBJECT
 public:
  explicit NetworkDrawing(QWidget* parent = nullptr);

  void setNetwork(Network network);  // keeps the chosen part if it is still there
  const Network& network() const { return network_; }
  void choose(int part);  // -1: none
  int chosen() const { return chosen_; }
  QRectF boxOf(int part) const;  // in widget coordinates
  // "layer 1: width 256, 1,234 parameters": what the box says, with what it abbreviates.
  QString readout(int part) const;
  // What a connection of this kind means.
  static QString meaningOf(Network::LinkKind kind);

  QSize sizeHint() const override;
  QSize minimumSizeHint() const override;

 signals:
  void partChosen(int part);  // by mouse or arrow keys; -1: none

 protected:
  void mousePressEvent(QMouseEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  bool event(QEvent* event) override;

 private:
  void paintTo(QPainter& painter, const QSizeF& size) const override;
  void writeValues(QTextStream& out) const override;
  void paintBox(QPainter& painter, const QRectF& box, int part) const;
  void paintLink(QPainter& painter, const QSizeF& size, const Network::Link& link) const;
  // Draws the legend's entries line by line, or only measures them; returns their height.
  double flowLegend(QPainter* painter, double top, double width) const;
  NetworkLayout layoutFor(const QSizeF& size) const;
  QRectF boxFor(int part, const QSizeF& size) const;
  int partAt(const QPointF& position) const;
  QVector<Network::LinkKind> kinds() const;  // those that are drawn
  void chooseByUser(int part);

  Network network_;
  int chosen_ = -1;
};

}  // namespace strata::ui
