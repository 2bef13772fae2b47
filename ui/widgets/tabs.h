#pragma once
#include <QTabWidget>

namespace strata::ui {

// Tabs without a frame around the pages, as views have them.
class Tabs : public QTabWidget {
  Q_OBJECT
 public:
  explicit Tabs(QWidget* parent = nullptr) : QTabWidget(parent) { setDocumentMode(true); }

 protected:
  void paintEvent(QPaintEvent*) override {}  // it would draw a line above the corner
};

}  // namespace strata::ui
