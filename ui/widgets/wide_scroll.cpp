#include "ui/widgets/wide_scroll.h"

#include <QEvent>
#include <QScrollBar>

namespace strata::ui {
namespace {
constexpr int kLeastShown = 120;  // pixels of the content's width
}

WideScroll::WideScroll(QWidget* content, QWidget* parent) : QScrollArea(parent) {
  setWidgetResizable(true);
  setFrameShape(QFrame::NoFrame);
  setFocusPolicy(Qt::NoFocus);  // what it contains has it
  setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  setWidget(content);
}

int WideScroll::heightFor(const QSize& content) const {
  return content.height() + horizontalScrollBar()->sizeHint().height();
}

QSize WideScroll::sizeHint() const {
  const QSize content = widget()->sizeHint();
  return QSize(content.width(), heightFor(content));
}

QSize WideScroll::minimumSizeHint() const {
  return QSize(kLeastShown, heightFor(widget()->minimumSizeHint()));
}

bool WideScroll::event(QEvent* event) {
  if (event->type() == QEvent::LayoutRequest) updateGeometry();  // of the content
  return QScrollArea::event(event);
}

}  // namespace strata::ui
