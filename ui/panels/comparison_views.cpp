// What the views of a comparison share.
#include "ui/panels/comparison_views.h"

#include <QAction>
#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QToolButton>
#include <QVBoxLayout>

#include "ui/data/text.h"
#include "ui/style/theme.h"
#include "ui/widgets/empty_state.h"
#include "ui/widgets/export_dialog.h"

namespace strata::ui {

ComparisonView::ComparisonView(QString name, QWidget* parent) : QWidget(parent) {
  setObjectName(name);
  setProperty("panel", true);
  setAttribute(Qt::WA_StyledBackground);
}

QHBoxLayout* ComparisonView::setUp(const Texts& texts, QWidget* content) {
  auto* page = new QWidget(this);
  auto* column = new QVBoxLayout(page);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  auto* bar = new QWidget(page);
  bar_ = new QHBoxLayout(bar);
  bar_->setContentsMargins(8, 6, 8, 6);
  bar_->setSpacing(6);
  bar_->addStretch();
  auto* action = new QAction(themedIcon(QStringLiteral("export")), texts.exportTitle, this);
  action->setObjectName(objectName() + QStringLiteral("Export"));
  connect(action, &QAction::triggered, this, [this, title = texts.exportTitle] {
    askForExport(this, {title, tr("All values"), [this](const QString& path) { exportTo(path); },
                        [this](const QString& message) { emit failed(message); }});
  });
  addAction(action);
  auto* button = new QToolButton(bar);
  button->setDefaultAction(action);
  button->setProperty("flat", true);
  bar_->addWidget(button);
  column->addWidget(bar);
  column->addWidget(content, 1);
  stack_ =
      new EmptyStack(new EmptyState(QStringLiteral("runs"), texts.title, texts.text), page, this);
  auto* outer = new QVBoxLayout(this);
  outer->setContentsMargins(0, 0, 0, 0);
  outer->addWidget(stack_);
  return bar_;
}

QComboBox* ComparisonView::addChoice(const QString& label, const QString& name) {
  auto* choice = new QComboBox(bar_->parentWidget());
  choice->setObjectName(name);
  choice->setAccessibleName(label);
  choice->setSizeAdjustPolicy(QComboBox::AdjustToContents);
  auto* title = new QLabel(label, bar_->parentWidget());
  title->setBuddy(choice);
  const int place = bar_->count() - 2;  // before the stretch and the button
  bar_->insertWidget(place, title);
  bar_->insertWidget(place + 1, choice);
  return choice;
}

QString ComparisonView::systemName(std::size_t system) const {
  const QString name = qs(comparison_->systems[system].name);
  return system == comparison_->baseline ? tr("%1 (baseline)").arg(name) : name;
}

void ComparisonView::fillSystems(QComboBox* choice, bool withBaseline) const {
  const QSignalBlocker blocker(choice);
  const QString before = choice->currentText();
  choice->clear();
  int first = -1;
  for (std::size_t s = 0; s < comparison_->systems.size(); ++s) {
    const bool baseline = s == comparison_->baseline;
    if (baseline && !withBaseline) continue;
    if (!baseline && first < 0) first = choice->count();
    choice->addItem(systemName(s), int(s));
  }
  const int kept = choice->findText(before);
  choice->setCurrentIndex(kept >= 0 ? kept : first);
}

void ComparisonView::setComparison(std::shared_ptr<const Comparison> comparison) {
  comparison_ = std::move(comparison);
  stack_->setEmpty(isEmpty());
  redraw();
}

void ComparisonView::redraw() {
  drawn_ = false;
  if (isVisible()) drawIfNeeded();
}

bool ComparisonView::isEmpty() const {
  return !comparison_ || comparison_->metrics.empty() || !hasContent();
}

void ComparisonView::drawIfNeeded() {
  if (drawn_) return;
  drawn_ = true;
  if (!isEmpty()) draw();
}

void ComparisonView::showEvent(QShowEvent* event) {
  QWidget::showEvent(event);
  drawIfNeeded();
}

void ComparisonView::exportTo(const QString& path) {
  drawIfNeeded();
  if (isEmpty()) return;
  if (!isVisible())
    grab(QRect(0, 0, 1, 1));  // lays out a hidden view, so that its plots have their sizes
  write(path);
}

}  // namespace strata::ui
