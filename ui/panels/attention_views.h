#pragma once
#include "ui/data/attention_pictures.h"
#include "ui/panels/here.h"
#include "ui/widgets/tabs.h"

namespace strata::ui {
class Chart;
class HeatMapView;
class MapGridView;
class WordLinesView;

// One sentence's attention as a matrix, as lines between words, and all of a kind from a bird's
// eye.
class AttentionViews : public Tabs {
  Q_OBJECT
 public:
  enum Tab { kMatrix, kLines, kBirdsEye };
  struct Style {
    bool rowSums = false;
    bool fixedScale = true;  // 0 to 1 and -1 to 1; else to the largest magnitude
  };

  explicit AttentionViews(QWidget* parent = nullptr);

  // What the first two tabs show, or the third. Of long sentences it takes long: it can be prepared
  // in another thread.
  struct Pictures {
    bool birdsEye = false;
    double scale = 1;
    bool rowSums = false;
    QVector<WeightMap> maps = {};
    SideBySide matrix = {};
    MapGridView::Content grid = {};
    QVector<QImage> images = {};  // of the grid
  };
  static Pictures prepared(const QVector<WeightMap>& maps, const Style& style);
  static Pictures prepared(MapGridView::Content content, const Style& style);
  void show(Pictures pictures);
  Chart* current() const;
  Here here() const;  // of the keyboard's cursor in the matrix

  HeatMapView* matrix() const { return matrix_; }
  WordLinesView* lines() const { return lines_; }
  MapGridView* grid() const { return grid_; }

 signals:
  void readOut(const QString& text);  // of what the user points at; empty: nothing
  void opened(int row, int column);   // a map of the bird's eye view

 private:
  void readOutCell(int row, int column);

  HeatMapView* matrix_;
  WordLinesView* lines_;
  MapGridView* grid_;
  QVector<WeightMap> maps_;
  bool rowSums_ = false;
};

}  // namespace strata::ui
