#include "ui/panels/panel.h"

#include <QAction>
#include <QScopedValueRollback>
#include <QToolButton>
#include <QVBoxLayout>
#include <utility>

#include "ui/plots/chart.h"
#include "ui/style/theme.h"
#include "ui/widgets/building.h"
#include "ui/widgets/empty_state.h"
#include "ui/widgets/run_box.h"

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

void Panel::setLack(const QString& text) {
  stack_->setLack(text);
}

QString Panel::lack() const {
  return stack_ ? stack_->lack() : QString();
}

bool Panel::isEmpty() const {
  return stack_ && stack_->isEmpty();
}

Here Panel::here() const {
  const auto* chart = qobject_cast<const Chart*>(focusWidget());
  return {chart ? chart->accessibleDescription() : QString(), {}};
}

void Panel::select(const Selection& choice) {
  const QScopedValueRollback following(following_, true);
  follow(choice);
}

void Panel::setPinned(bool pinned) {
  if (pinned == pinned_) return;
  pinned_ = pinned;
  for (RunBox* box : findChildren<RunBox*>()) box->setVisible(pinned || box->isKeptShown());
  emit pinnedChanged(pinned);
}

void Panel::share(const Selection& choice) {
  if (!following_) emit selected(choice);
}

QAction* Panel::addCopyCommand(QLayout* bar, std::function<QStringList()> arguments) {
  auto* action = new QAction(themedIcon(QStringLiteral("copy")), tr("Copy command"), this);
  action->setObjectName(QStringLiteral("copyCommand"));
  action->setToolTip(tr("Copy the command line that does the same without the window"));
  connect(action, &QAction::triggered, this,
          [this, arguments = std::move(arguments)] { emit commandCopied(arguments()); });
  addTool(bar, action);
  return action;
}

}  // namespace strata::ui
