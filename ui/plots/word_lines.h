#pragma once
#include <QFont>
#include <optional>
#include <vector>

#include "ui/plots/chart.h"
#include "ui/plots/weight_map.h"

namespace strata::ui {

// Words read on the left, the words that read them on the right, and a line between two words as
// thick as the weight; several maps side by side. In a difference the colour is the sign. The word
// under the mouse, or selected with the arrow keys, keeps its lines and shows their weights; the
// others fade. Lines of less than 0.02 are not drawn.
class WordLinesView : public PaintedChart {
  Q_OBJECT
 public:
  static constexpr double kLeast = 0.02;  // the smallest weight that is drawn

  // A word of one of the maps: a column (on the left) or a row (on the right).
  struct Word {
    int map = -1;  // -1: none
    bool isColumn = false;
    int index = 0;
    bool operator==(const Word&) const = default;
  };

  explicit WordLinesView(QWidget* parent = nullptr) : PaintedChart(parent) {}

  void setMaps(QVector<WeightMap> maps);
  const QVector<WeightMap>& maps() const { return maps_; }
  QRectF wordRect(const Word& word) const;  // in widget coordinates; empty if there is none
  Word hoveredWord() const { return hovered_; }
  // "goes reads: geht 0.812, er 0.101, …": the largest weights of a word; empty for no word.
  QString readout(const Word& word) const;

  QSize sizeHint() const override { return minimumSizeHint(); }
  QSize minimumSizeHint() const override;

 signals:
  void hovered();  // by mouse or arrow keys

 protected:
  void mouseMoveEvent(QMouseEvent* event) override;
  void leaveEvent(QEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;

 private:
  // Where a map's words end (left) and begin (right).
  struct Place {
    double left = 0, right = 0;
  };
  QVector<Place> placesFor(double width) const;
  // In the current font.
  struct Measures {
    QFont font;
    double line = 0;                    // height
    std::vector<double> columns, rows;  // the widest word of each map
  };
  const Measures& measures() const;
  double lineHeight() const { return measures().line; }
  double top() const;  // of the first word
  double yOf(int word) const { return top() + (word + 0.5) * lineHeight(); }
  int longest() const;  // words of the longest side
  void paintTo(QPainter& painter, const QSizeF& size) const override;
  void writeValues(QTextStream& out) const override { writeWeightMaps(out, maps_); }
  void paintMap(QPainter& painter, int map, const Place& place) const;
  void paintWords(QPainter& painter, int map, const Place& place, bool columns) const;
  void paintLegend(QPainter& painter, double top) const;
  QString labelOf(int map, bool columns, int index) const;
  void hover(const Word& word);

  QVector<WeightMap> maps_;
  mutable std::optional<Measures> measures_;
  Word hovered_;
};

}  // namespace strata::ui
