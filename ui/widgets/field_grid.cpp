#include "ui/widgets/field_grid.h"

#include <QGridLayout>
#include <QLabel>
#include <algorithm>

#include "ui/widgets/building.h"

namespace strata::ui {
namespace {

constexpr int kBetween = 10, kBelow = 6;  // pixels

int leastWidth(const QWidget* widget) {
  return widget ? std::max(widget->minimumWidth(), widget->minimumSizeHint().width()) : 0;
}

}  // namespace

FieldGrid::FieldGrid(int most, QWidget* parent)
    : QWidget(parent), most_(most), layout_(makeLayout<QGridLayout>(this, {0, 2, 0, 2}, kBelow)) {
  layout_->setHorizontalSpacing(kBetween);
}

void FieldGrid::add(const QString& title, QWidget* field) {
  auto* label = new QLabel(title, this);
  label->setBuddy(field);
  fields_ << Field{label, field};
  place(std::max(1, std::min(most_, int(fields_.size()))));
}

void FieldGrid::add(QWidget* field) {
  fields_ << Field{nullptr, field};
  place(std::max(1, std::min(most_, int(fields_.size()))));
}

int FieldGrid::widthOf(int columns) const {
  int width = 0;
  for (int column = 0; column < columns; ++column) {
    int label = 0, field = 0, whole = 0;
    for (qsizetype i = column; i < fields_.size(); i += columns) {
      const Field& each = fields_[i];
      label = std::max(label, leastWidth(each.label));
      (each.label ? field : whole) = std::max(each.label ? field : whole, leastWidth(each.widget));
    }
    width += std::max(label + kBetween + field, whole) + (column > 0 ? kBetween : 0);
  }
  return width;
}

void FieldGrid::place(int columns) {
  for (const Field& field : fields_) {
    if (field.label) layout_->removeWidget(field.label);
    layout_->removeWidget(field.widget);
  }
  layout_->setColumnStretch(2 * columns_, 0);
  columns_ = columns;
  for (int i = 0; i < int(fields_.size()); ++i) {
    const int row = i / columns, column = 2 * (i % columns);
    const Field& field = fields_[i];
    if (field.label) layout_->addWidget(field.label, row, column);
    layout_->addWidget(field.widget, row, column + (field.label ? 1 : 0), 1, field.label ? 1 : 2);
  }
  layout_->setColumnStretch(2 * columns, 1);
}

QSize FieldGrid::minimumSizeHint() const {
  return {widthOf(1), QWidget::minimumSizeHint().height()};
}

void FieldGrid::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  int columns = std::max(1, std::min(most_, int(fields_.size())));
  while (columns > 1 && widthOf(columns) > width()) --columns;
  if (columns != columns_) place(columns);
}

}  // namespace strata::ui
