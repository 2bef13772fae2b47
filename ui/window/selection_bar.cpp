#include "ui/window/selection_bar.h"

#include <QHBoxLayout>
#include <QToolButton>
#include <algorithm>

#include "ui/data/text.h"
#include "ui/widgets/choice_popup.h"

namespace strata::ui {
namespace {

constexpr int kHeight = 36, kLongestSentence = 260;  // pixels

void setChip(QToolButton* chip, bool visible, const QString& text) {
  chip->setText(text);
  chip->setVisible(visible);
}

}  // namespace

SelectionBar::SelectionBar(QAction* back, QAction* forward, QWidget* parent)
    : QWidget(parent), layout_(new QHBoxLayout(this)) {
  setObjectName(QStringLiteral("selectionBar"));
  setFixedHeight(kHeight);
  layout_->setContentsMargins(8, 0, 8, 0);
  layout_->setSpacing(4);
  for (QAction* action : {back, forward}) {
    auto* button = new QToolButton(this);
    button->setDefaultAction(action);
    button->setProperty("flat", true);
    button->setIconSize(QSize(16, 16));
    layout_->addWidget(button);
  }
  run_ = addChip(QStringLiteral("runChip"), tr("The current run"),
                 [this](QToolButton* chip) { chooseRun(chip, false); });
  other_ = addChip(QStringLiteral("otherChip"), tr("The run that it is compared with"),
                   [this](QToolButton* chip) { chooseRun(chip, true); });
  moment_ = addChip(QStringLiteral("stepChip"), tr("The step or checkpoint of the current run"),
                    [this](QToolButton* chip) { chooseStep(chip); });
  set_ = addChip(QStringLiteral("setChip"), tr("The test set"), {});
  sentence_ = addChip(QStringLiteral("sentenceChip"), tr("The sentence"), {});
  hypothesis_ =
      addChip(QStringLiteral("hypothesisChip"), tr("The translation of the sentence"), {});
  word_ = addChip(QStringLiteral("wordChip"), tr("The word of the translation"), {});
  layout_->addStretch();
  update();
}

QToolButton* SelectionBar::addChip(const QString& name, const QString& tip,
                                   const std::function<void(QToolButton*)>& choose) {
  auto* chip = new QToolButton(this);
  chip->setObjectName(name);
  chip->setProperty("chip", true);
  chip->setToolTip(tip);
  chip->setAccessibleDescription(tip);
  chip->setFocusPolicy(choose ? Qt::TabFocus : Qt::NoFocus);
  if (choose) connect(chip, &QToolButton::clicked, this, [choose, chip] { choose(chip); });
  layout_->addWidget(chip);
  return chip;
}

void SelectionBar::setRuns(const QVector<RunRow>& runs) {
  runs_.clear();
  std::copy_if(runs.rbegin(), runs.rend(), std::back_inserter(runs_),
               [](const RunRow& run) { return !run.trashed; });
  update();
}

void SelectionBar::setSelection(const Selection& selection) {
  selection_ = selection;
  update();
}

const RunRow* SelectionBar::run(std::optional<qint64> id) const {
  const auto found =
      std::find_if(runs_.begin(), runs_.end(), [&](const RunRow& row) { return row.id == id; });
  return found == runs_.end() ? nullptr : &*found;
}

void SelectionBar::chooseRun(QToolButton* chip, bool other) {
  QVector<ChoicePopup::Item> items;
  QVector<qint64> ids;
  if (other) {
    items << ChoicePopup::Item{tr("none")};
    ids << 0;
  }
  for (const RunRow& row : runs_) {
    items << ChoicePopup::Item{row.name, row.dataset};
    ids << row.id;
  }
  const qint64 current = (other ? selection_.other : selection_.run).value_or(0);
  auto* popup = new ChoicePopup(items, int(ids.indexOf(current)), this);
  connect(popup, &ChoicePopup::chosen, this, [this, ids, other](int index) {
    Selection choice;
    (other ? choice.other : choice.run) = ids[index];
    emit chosen(choice);
  });
  popup->openUnder(chip);
}

void SelectionBar::chooseStep(QToolButton* chip) {
  const RunRow* current = run(selection_.run);
  if (!current) return;
  const QVector<qint64> steps = current->recordedSteps;
  QVector<ChoicePopup::Item> items;
  for (const qint64 step : steps) items << ChoicePopup::Item{tr("step %1").arg(countText(step))};
  if (items.isEmpty()) return;
  const qint64 now = selection_.step.value_or(steps.last());
  auto* popup = new ChoicePopup(items, int(steps.indexOf(now)), this);
  connect(popup, &ChoicePopup::chosen, this,
          [this, steps](int index) { emit chosen(Selection{.step = steps[index]}); });
  popup->openUnder(chip);
}

void SelectionBar::update() {
  const RunRow* current = run(selection_.run);
  const RunRow* other = run(selection_.other);
  setChip(run_, true, current ? current->name : tr("Choose a run"));
  run_->setEnabled(!runs_.isEmpty());
  setChip(other_, current != nullptr, other ? tr("vs %1").arg(other->name) : tr("compare with…"));
  const bool recorded = current && !current->recordedSteps.isEmpty();
  QString moment = tr("newest step");
  if (selection_.step) moment = tr("step %1").arg(countText(*selection_.step));
  if (selection_.checkpoint) moment = *selection_.checkpoint;
  setChip(moment_, recorded || (current && selection_.checkpoint), moment);
  setChip(set_, selection_.testSet.has_value(), selection_.testSet.value_or(QString()));
  const QString sentence = selection_.sentence.value_or(QString()).simplified();
  setChip(sentence_, !sentence.isEmpty(),
          fontMetrics().elidedText(sentence, Qt::ElideRight, kLongestSentence));
  sentence_->setToolTip(sentence);
  setChip(hypothesis_, selection_.hypothesis.has_value(),
          tr("translation %1").arg(selection_.hypothesis.value_or(0) + 1));
  setChip(word_, selection_.word.has_value(), tr("word %1").arg(selection_.word.value_or(0) + 1));
}

}  // namespace strata::ui
