#pragma once
#include <QHBoxLayout>

namespace strata::ui {

// Widgets side by side; in several lines where the place is too narrow for all of them, as in a
// language with long words.
class BarLayout : public QHBoxLayout {
 public:
  using QHBoxLayout::QHBoxLayout;

  QSize minimumSize() const override;
  bool hasHeightForWidth() const override { return true; }
  int heightForWidth(int width) const override;
  int minimumHeightForWidth(int width) const override { return heightForWidth(width); }
  void setGeometry(const QRect& rect) override;

 private:
  // Positions of items in a line, and how far these grow.
  struct Place {
    QLayoutItem* item;
    int width, wanted;
    bool grows;
  };

  bool fits(int width) const { return width >= QHBoxLayout::minimumSize().width(); }
  QVector<QVector<Place>> linesFor(int width) const;  // without margins
  int gap() const { return qMax(0, spacing()); }
};

}  // namespace strata::ui
