#pragma once
#include <QStringList>
#include <QVector>

#include "core/inside/target_attention.h"
#include "ui/plots/chart.h"
#include "ui/plots/text_widths.h"

namespace strata::ui {

// One drawing of a sentence with its arcs.
struct ArcRow {
  QString title;  // "layer 1"; empty: none
  std::vector<Arc> arcs;
};

// A sentence in one row with arcs from each word back to those that it attended to: solid to the
// most attended one, dashed to the second, as thick as the weight, red if longer than a given
// number of words. The legend is always shown. The word under the mouse, or selected with the arrow
// keys, keeps its arcs; the others fade.
class ArcView : public PaintedChart {
  Q_OBJECT
 public:
  explicit ArcView(QWidget* parent = nullptr) : PaintedChart(parent) {}

  void setSentence(QStringList words, QVector<ArcRow> rows);
  void setLongest(int words);  // longer arcs are red
  void setLinked(int word);    // -1: none

  const QStringList& words() const { return words_; }
  const QVector<ArcRow>& rows() const { return rows_; }
  int longest() const { return longest_; }
  int linked() const { return linked_; }
  QRectF wordRect(int row, int word) const;  // in widget coordinates
  QString readout(int word) const;           // the word and what it attended to
  QColor colourOf(const Arc& arc) const;

  QSize sizeHint() const override;
  QSize minimumSizeHint() const override;

 signals:
  void hovered(int word);  // by mouse or arrow keys; -1: none

 protected:
  void mouseMoveEvent(QMouseEvent* event) override;
  void leaveEvent(QEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;

 private:
  struct Layout {
    std::vector<double> centres;  // of the words
    double arcHeight = 0, rowHeight = 0, titleHeight = 0, wordHeight = 0;
  };

  Layout layoutFor(const QSizeF& size) const;
  const std::vector<double>& widths() const { return widths_.of(words_, font()); }
  QRectF rectIn(const Layout& layout, int row, int word) const;
  double wordsWidth() const;
  double legendHeight(double width) const;
  double baseOf(const Layout& layout, int row) const;
  int wordAt(const QPointF& position) const;
  void paintTo(QPainter& painter, const QSizeF& size) const override;
  void writeValues(QTextStream& out) const override;
  void paintRow(QPainter& painter, const Layout& layout, int row) const;
  void paintWords(QPainter& painter, const Layout& layout, int row) const;
  void paintArc(QPainter& painter, const Layout& layout, int row, const Arc& arc) const;
  // Draws the legend's entries line by line, or only measures them; returns their height.
  double flowLegend(QPainter* painter, double top, double width) const;
  void hover(int word);

  QStringList words_;
  mutable TextWidths widths_;  // of the words
  QVector<ArcRow> rows_;
  int longestArc_ = 1;
  int longest_ = 3, linked_ = -1;
};

}  // namespace strata::ui
