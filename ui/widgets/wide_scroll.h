#pragma once
#include <QScrollArea>

namespace strata::ui {

// Lets a wide part of a page that itself scrolls up and down scroll sideways: it is as high as its
// content, and as narrow as the page.
class WideScroll : public QScrollArea {
  Q_OBJECT
 public:
  WideScroll(QWidget* content, QWidget* parent);

  QSize sizeHint() const override;
  QSize minimumSizeHint() const override;

 protected:
  bool event(QEvent* event) override;

 private:
  int heightFor(const QSize& content) const;
};

}  // namespace strata::ui
