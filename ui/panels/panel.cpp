#include "ui/panels/panel.h"

#include <QScopedValueRollback>
#include <QVBoxLayout>
#include <utility>

#include "ui/widgets/building.h"
#include "ui/widgets/empty_state.h"

namespace strata::ui {

Panel::Panel(Info info, QWidget* parent) : QWidget(parent), info_(std::move(info)) {
  setProperty("panel", true);
  setAttribute(Qt::WA_StyledBackground);
}

void Panel::setContent(const Empty& empty, QWidget* content) {
  auto* page = new EmptyState(info_.icon, empty.title, empty.text);
  for (QAction* action : empty.actions) page->addAction(action);
  stack_ = new EmptyStack(page, content, this);
  makeLayout<QVBoxLayout>(this)->addWidget(stack_);
}

void Panel::setEmpty(bool empty) {
  stack_->setEmpty(empty);
}

bool Panel::isEmpty() const {
  return stack_ && stack_->isEmpty();
}

void Panel::select(const Selection& choice) {
  const QScopedValueRollback following(following_, true);
  follow(choice);
}

void Panel::share(const Selection& choice) {
  if (!following_) emit selected(choice);
}

}  // namespace strata::ui
