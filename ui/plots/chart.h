#pragma once
#include <QWidget>
#include <functional>
#include <memory>
#include <optional>

class QCPAxis;
class QCustomPlot;
class QLabel;
class QPainter;
class QTextStream;

namespace strata::ui {

// A drawing of values in the current theme's colours that can be written to a file.
class Chart : public QWidget {
  Q_OBJECT
 public:
  // A light picture of a size for a paper as .png, .svg or .pdf, or for pgfplots as .tex if
  // hasTex(), with all values as .csv beside it; or only these. Throws Error.
  void exportTo(const QString& path);
  virtual bool hasTex() const { return false; }

 protected:
  explicit Chart(QWidget* parent);
  void changeEvent(QEvent* event) override;
  // Of a picture, in pixels at 96 per inch.
  virtual QSize pictureSize() const;
  // Tells screen readers about the value under the keyboard's cursor.
  void say(const QString& value);

  virtual void restyle() {}  // in the colours of a new theme

 private:
  virtual void writePicture(const QString& path) = 0;
  virtual void writeValues(QTextStream& out) const = 0;
  virtual void writeTex(QTextStream&) {}  // if hasTex()
};

// A chart that is painted. It has the keyboard's focus and follows the mouse.
class PaintedChart : public Chart {
  Q_OBJECT
 protected:
  explicit PaintedChart(QWidget* parent);
  void paintEvent(QPaintEvent* event) override;
  void focusInEvent(QFocusEvent* event) override;
  void focusOutEvent(QFocusEvent* event) override;
  QSize pictureSize() const override;

 private:
  virtual void paintTo(QPainter& painter, const QSizeF& size) const = 0;
  virtual void paintOverlay(QPainter&) const {}  // what the mouse or keyboard is at
  void writePicture(const QString& path) override;
};

class AxisTexts;

// A chart with a title that QCustomPlot draws. Pictures contain title and legend. What is shortened
// because it has too little room is told whole under the mouse.
class PlotChart : public Chart {
  Q_OBJECT
 public:
  ~PlotChart() override;

  void setTitle(const QString& title);
  QString title() const;
  QString axisTitle(const QCPAxis* axis) const;  // whole
  QCustomPlot* plot() const { return plot_; }

 protected:
  explicit PlotChart(QWidget* parent);
  // While a picture is written, it has this size and is drawn in the light theme; restyle() draws
  // everything, before and afterwards.
  std::optional<QSize> picture() const { return picture_; }
  int drawingWidth() const { return picture_ ? picture_->width() : width(); }
  void asPicture(const std::function<void()>& write);
  void setAxisTitle(QCPAxis* axis, const QString& title);
  void fitAxisTexts();  // as every layout does
  // The whole text of what is shortened at a place of plot().
  virtual QString wholeTextAt(const QPoint& position) const;
  bool eventFilter(QObject* watched, QEvent* event) override;

  QCustomPlot* const plot_;  // a child, like the label: to be put into a layout
  QLabel* const titleLabel_;

 private:
  void writePicture(const QString& path) override;

  std::optional<QSize> picture_;
  std::unique_ptr<AxisTexts> axisTexts_;
};

}  // namespace strata::ui
