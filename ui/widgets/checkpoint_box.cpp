#include "ui/widgets/checkpoint_box.h"

#include <QSignalBlocker>
#include <algorithm>

#include "ui/data/text.h"
#include "ui/widgets/building.h"

namespace strata::ui {
namespace {

const QString kBestSelector = QStringLiteral("best"), kLastSelector = QStringLiteral("last");

// The last step that is not after another one.
std::optional<QString> lastUntil(qint64 step, const QStringList& selectors) {
  std::optional<qint64> found;
  for (const QString& each : selectors) {
    const qint64 at = each.toLongLong();
    if (CheckpointBox::isStep(each) && at <= step) found = std::max(found.value_or(at), at);
  }
  return found ? std::optional(QString::number(*found)) : std::nullopt;
}

}  // namespace

CheckpointBox::CheckpointBox(QWidget* parent) : QComboBox(parent) {
  setSizeAdjustPolicy(QComboBox::AdjustToContents);
  connect(this, &QComboBox::activated, this, [this] { wantedStep_.reset(); });
}

bool CheckpointBox::isStep(const QString& selector) {
  bool number = false;
  selector.toLongLong(&number);
  return number;
}

QString CheckpointBox::textOf(const QString& selector) {
  if (isStep(selector)) return tr("step %1").arg(countText(selector.toLongLong()));
  return selector == kBestSelector ? tr("best") : tr("last");
}

QStringList CheckpointBox::listed() const {
  QStringList selectors;
  for (int i = 0; i < count(); ++i) selectors << itemData(i).toString();
  return selectors;
}

void CheckpointBox::setSelectors(const QStringList& selectors) {
  if (selectors == listed()) return;
  const QSignalBlocker blocker(this);
  const QString before = selector();
  clear();
  for (const QString& each : selectors) addItem(textOf(each), each);
  selectData(this, before);
  showStep();
}

QString CheckpointBox::selector() const {
  return count() > 0 ? currentData().toString() : wanted_;
}

void CheckpointBox::choose(const QString& selector) {
  wanted_ = selector;
  selectData(this, selector);
}

void CheckpointBox::follow(const Selection& choice) {
  if (choice.run || choice.checkpoint || choice.step) wantedStep_.reset();
  if (choice.checkpoint)
    choose(*choice.checkpoint);
  else
    wantedStep_ = choice.step ? choice.step : wantedStep_;
  showStep();
}

void CheckpointBox::showStep() {
  if (!wantedStep_) return;
  if (const auto found = lastUntil(*wantedStep_, listed())) selectData(this, *found);
}

QStringList checkpointSelectors(const RunDetails& run) {
  QStringList selectors{kBestSelector, kLastSelector};
  for (auto each = run.checkpoints.rbegin(); each != run.checkpoints.rend(); ++each)
    selectors << QString::number(each->step);
  return selectors;
}

std::optional<QString> sameCheckpoint(const QString& selector, const RunDetails& run) {
  if (!CheckpointBox::isStep(selector)) return selector;
  return lastUntil(selector.toLongLong(), checkpointSelectors(run));
}

}  // namespace strata::ui
