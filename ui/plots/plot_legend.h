#pragma once
#include <qcustomplot.h>

#include <QString>
#include <QVector>

namespace strata::ui {

// The legend of a plot, in a column of its own right of the axes: a sample and the label of each
// line. On the screen it has one narrow column and says how many do not fit; in a picture it is
// complete.
class PlotLegend : public QCPLayoutElement {
  Q_OBJECT
 public:
  struct Entry {
    QString label;
    int style = 0;  // of lineStyle()
  };
  static constexpr int kWidth = 170;  // pixels on the screen, at most

  explicit PlotLegend(QCustomPlot* plot);  // the plot's layout owns it once it is added

  void setEntries(QVector<Entry> entries) { entries_ = std::move(entries); }
  const QVector<Entry>& entries() const { return entries_; }
  void setShown(bool shown) { shown_ = shown; }
  bool isShown() const { return shown_; }
  // All entries with their full labels, in as many columns as a picture of this height needs;
  // 0: as on the screen.
  void setComplete(int height) { complete_ = height; }
  int neededWidth() const;
  // The number of entries that the last drawing left out.
  int left() const { return left_; }

  QSize minimumOuterSizeHint() const override { return {neededWidth(), 0}; }
  QSize maximumOuterSizeHint() const override { return {neededWidth(), QWIDGETSIZE_MAX}; }

 protected:
  void applyDefaultAntialiasingHint(QCPPainter*) const override {}
  void draw(QCPPainter* painter) override;

 private:
  QFont font() const;
  int lineHeight() const;
  int rowsIn(int height) const;
  int columnWidth() const;

  QVector<Entry> entries_;
  bool shown_ = false;
  int complete_ = 0, left_ = 0;
};

}  // namespace strata::ui
