#include "ui/widgets/chart_grid.h"

#include <QGridLayout>
#include <algorithm>

namespace strata::ui {
namespace {
constexpr int kMinimumWidth = 400, kMinimumHeight = 250;  // pixels of a chart
}

ChartGrid::ChartGrid(QWidget* parent) : QWidget(parent), layout_(new QGridLayout(this)) {
  setProperty("panel", true);
  setAttribute(Qt::WA_StyledBackground);
  layout_->setContentsMargins(0, 0, 0, 0);
}

void ChartGrid::add(QWidget* chart) {
  chart->setMinimumHeight(std::max(kMinimumHeight, chart->minimumSizeHint().height()));
  charts_ << chart;
  place();
}

void ChartGrid::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  const int columns = width() >= 2 * kMinimumWidth ? 2 : 1;
  if (columns == columns_) return;
  columns_ = columns;
  place();
}

void ChartGrid::place() {
  for (QWidget* chart : charts_) layout_->removeWidget(chart);
  for (int i = 0; i < charts_.size(); ++i) {
    layout_->addWidget(charts_[i], i / columns_, i % columns_);
    layout_->setRowStretch(i, i <= (int(charts_.size()) - 1) / columns_ ? 1 : 0);
  }
  for (const int column : {0, 1}) layout_->setColumnStretch(column, column < columns_ ? 1 : 0);
}

}  // namespace strata::ui
