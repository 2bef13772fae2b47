#pragma once
#include <QLabel>

namespace strata::ui {

// A line of plain text that ends with an ellipsis where its place is too narrow, and tells the
// whole text under the mouse. With word wrap it is an ordinary label.
class ElidedLabel : public QLabel {
  Q_OBJECT
 public:
  explicit ElidedLabel(QWidget* parent = nullptr) : QLabel(parent) {}

  bool isElided() const;  // it shows less than text()
  QSize minimumSizeHint() const override;

 protected:
  void paintEvent(QPaintEvent* event) override;
  bool event(QEvent* event) override;

 private:
  QString shown() const;
};

}  // namespace strata::ui
