// What the views of a comparison share.
#include "ui/panels/comparison_views.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QVBoxLayout>
#include <functional>

#include "ui/data/text.h"
#include "ui/widgets/building.h"
#include "ui/widgets/empty_state.h"
#include "ui/widgets/export_dialog.h"

namespace strata::ui {

ComparisonView::ComparisonView(QString name, QWidget* parent) : QWidget(parent) {
  setObjectName(name);
  setProperty("panel", true);
  setAttribute(Qt::WA_StyledBackground);
}

void ComparisonView::setUp(const Texts& texts, QWidget* content) {
  auto* page = new QWidget(this);
  auto* column = makeLayout<QVBoxLayout>(page);
  bar_ = makeBar(page);
  bar_->addStretch();
  addExportTool(
      this, bar_,
      {objectName() + QStringLiteral("Export"),
       texts.exportTitle,
       {texts.exportTitle, tr("All values"), std::bind_front(&ComparisonView::exportTo, this),
        std::bind_front(&ComparisonView::failed, this), [this] { return exportedParts(); }}});
  column->addWidget(bar_->parentWidget());
  column->addWidget(content, 1);
  stack_ =
      new EmptyStack(new EmptyState(QStringLiteral("runs"), texts.title, texts.text), page, this);
  makeLayout<QVBoxLayout>(this)->addWidget(stack_);
}

QComboBox* ComparisonView::addChoice(const QString& label, const QString& name) {
  auto* choice = named(new QComboBox(bar_->parentWidget()), name, label);
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
