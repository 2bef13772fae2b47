#include "ui/panels/panel.h"

#include <QAction>
#include <QScopedValueRollback>
#include <QToolButton>
#include <QVBoxLayout>
#include <utility>

#include "ui/plots/chart.h"
#include "ui/style/theme.h"
#include "ui/widgets/building.h"
#include "ui/widgets/run_box.h"

namespace strata::ui {
namespace {
constexpr int kWorkDelayMs = 300;
}  // namespace

Panel::Panel(Info info, QWidget* parent) : QWidget(parent), info_(std::move(info)) {
  setProperty("panel", true);
  setAttribute(Qt::WA_StyledBackground);
  workTimer_.setSingleShot(true);
  workTimer_.setInterval(kWorkDelayMs);
  connect(&workTimer_, &QTimer::timeout, this, &Panel::work);
}

void Panel::workLater(std::function<void()> work) {
  work_ = std::move(work);
  workTimer_.start();
}

// Nobody else has to be told: it was chosen elsewhere.
void Panel::work() {
  if (!work_ || !isWatched()) return;
  const QScopedValueRollback following(following_, true);
  std::exchange(work_, {})();
}

void Panel::setPageShown(bool shown) {
  pageShown_ = shown;
  if (shown && work_) workTimer_.start();
}

void Panel::showEvent(QShowEvent* event) {
  QWidget::showEvent(event);
  if (work_) workTimer_.start();
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

void Panel::setLack(const QString& text, const LackPage::Remedy& remedy) {
  stack_->setLack(text, remedy);
}

LackPage::Remedy Panel::remedyOf(qint64 run, const QString& name) {
  return {tr("Show %1").arg(name), [this, run] {
            const Selection choice{.run = run};
            select(choice);
            share(choice);
          }};
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
  if (choice.run && !lack().isEmpty()) setLack({});
  const bool showsRun = findChild<RunBox*>() != nullptr;
  if (showsRun && choice.system && !choice.system->isEmpty()) lackModelOf(*choice.system);
  follow(choice);
}

// Of an imported system only its translations are known.
void Panel::lackModelOf(const QString& system) {
  setLack(tr("%1 was imported: its translations are known, but there is no run or model of it "
             "here.")
              .arg(system),
          {tr("Compare it"), [this] { emit showRequested(QStringLiteral("compare")); }});
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
