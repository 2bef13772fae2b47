#pragma once
#include <QVector>
#include <QWidget>

class QGridLayout;

namespace strata::ui {

// Charts in two columns, or in one if two would be too narrow to read. Each has at least the height
// that its axes and legend need; put the grid into a scroll area.
class ChartGrid : public QWidget {
  Q_OBJECT
 public:
  explicit ChartGrid(QWidget* parent = nullptr);

  void add(QWidget* chart);  // takes ownership; a hidden chart takes no room

 protected:
  void resizeEvent(QResizeEvent* event) override;

 private:
  void place();

  QGridLayout* layout_;
  QVector<QWidget*> charts_;  // children
  int columns_ = 2;
};

}  // namespace strata::ui
