#pragma once
#include <QWidget>

class QCustomPlot;
class QLabel;
class QPainter;
class QTextStream;

namespace strata::ui {

// A drawing of values in the current theme's colours that can be written to a file.
class Chart : public QWidget {
  Q_OBJECT
 public:
  // .png, .svg or .pdf, or all values as .csv. Throws Error.
  void exportTo(const QString& path);

 protected:
  using QWidget::QWidget;
  void changeEvent(QEvent* event) override;

 private:
  virtual void restyle() {}  // in the colours of a new theme
  virtual void writePicture(const QString& path) = 0;
  virtual void writeValues(QTextStream& out) const = 0;
};

// A chart that is painted. It has the keyboard's focus and follows the mouse.
class PaintedChart : public Chart {
  Q_OBJECT
 protected:
  explicit PaintedChart(QWidget* parent);
  void paintEvent(QPaintEvent* event) override;

 private:
  virtual void paintTo(QPainter& painter, const QSizeF& size) const = 0;
  void writePicture(const QString& path) override;
};

// A chart with a title that QCustomPlot draws. Pictures contain title and legend.
class PlotChart : public Chart {
  Q_OBJECT
 public:
  void setTitle(const QString& title);
  QString title() const;
  QCustomPlot* plot() const { return plot_; }

 protected:
  explicit PlotChart(QWidget* parent);

  QCustomPlot* const plot_;  // a child, like the label: to be put into a layout
  QLabel* const titleLabel_;

 private:
  void writePicture(const QString& path) override;
};

}  // namespace strata::ui
