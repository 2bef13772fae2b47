#include "ui/panels/measured_panel.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QVBoxLayout>

#include "ui/widgets/building.h"

namespace strata::ui {

MeasuredPanel::MeasuredPanel(Info info, const QString& prefix, QWidget* parent)
    : Panel(std::move(info), parent),
      choice_(new MeasuredRunChoice(prefix, this)),
      buttons_(new MeasureButtons(prefix, this)),
      message_(named(new QLabel(this), prefix + QStringLiteral("Message"))),
      lack_(new LackPage(prefix + QStringLiteral("Lack"), this)) {
  setObjectName(name() + QStringLiteral("Panel"));
  message_->setWordWrap(true);
  message_->setContentsMargins(10, 4, 10, 4);
  message_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  connect(choice_, &MeasuredRunChoice::runChosen, this, [this](qint64 run) {
    arrived_ = false;
    emit runChosen(run);
  });
  connect(choice_, &MeasuredRunChoice::changed, this, &MeasuredPanel::showChoice);
  connect(choice_, &MeasuredRunChoice::chosen, this, &MeasuredPanel::share);
  connect(buttons_, &MeasureButtons::started, this,
          [this] { start(found_ ? QStringList{QStringLiteral("--again")} : QStringList()); });
  connect(buttons_, &MeasureButtons::cancelled, this, &MeasuredPanel::cancelRequested);
}

void MeasuredPanel::start(const QStringList& further) {
  error_.clear();
  emit startRequested(choice_->run(), choice_->runName(), arguments() + further);
  showButtons();
}

void MeasuredPanel::addButtons(QBoxLayout* bar) {
  bar->addWidget(buttons_);
}

void MeasuredPanel::setParts(const Empty& empty, QWidget* actions, QWidget* results) {
  auto* content = new QWidget(this);
  auto* layout = makeLayout<QVBoxLayout>(content);
  auto* bar = makeBar(content);
  bar->addWidget(choice_);
  bar->addStretch();
  for (QWidget* each : {bar->parentWidget(), actions, static_cast<QWidget*>(message_)})
    layout->addWidget(each);
  layout->addWidget(lack_, 1);
  layout->addWidget(results, 1);
  layout->addStretch();
  results_ = results;
  results_->hide();
  lack_->hide();
  setContent(empty, content);
  showButtons();
}

void MeasuredPanel::setRuns(const QVector<RunRow>& runs) {
  setEmpty(runs.isEmpty());
  choice_->setRuns(runs);
  if (unlisted_ == 0 || !choice_->follow({.run = unlisted_})) return;
  unlisted_ = 0;  // it has saved one meanwhile
  setLack({});
}

void MeasuredPanel::arrive(const MeasurableRun& run) {
  const bool other = run.run != run_ && !restored_;
  run_ = run.run;
  arrived_ = true;
  restored_ = false;
  choice_->setMeasurable(run);
  other_ = run.other;
  offer(other);
  if (other && !find()) showStored();
  showChoice();
  if (example_) showOther();
}

void MeasuredPanel::showExample() {
  example_ = true;
  if (arrived_) showOther();
}

void MeasuredPanel::showOther() {
  example_ = false;
  if (other_ > 0) remedyOf(other_, {}).run();
}

QString MeasuredPanel::lacking() const {
  return choice_->hasCheckpoint()
             ? QString()
             : tr("This run has saved no checkpoint yet: its first validation will.");
}

LackPage::Remedy MeasuredPanel::remedy() {
  const RunRow* other = choice_->newestBut(choice_->run());
  return other ? remedyOf(other->id, other->name) : LackPage::Remedy();
}

LackPage::Remedy MeasuredPanel::otherThan(const MeasurableRun& run) {
  if (run.other > 0) return remedyOf(run.other, run.otherName);
  return {tr("Show its layers"), [this] { emit showRequested(QStringLiteral("layers")); }};
}

void MeasuredPanel::showChoice() {
  if (!arrived_) return;
  found_ = find();
  results_->setVisible(found_);
  showButtons();
  const QString lack = found_ ? QString() : lacking();
  lack_->setLack(lack, lack.isEmpty() ? LackPage::Remedy() : remedy());
  lack_->setVisible(!lack.isEmpty());
  const bool failed = !error_.isEmpty() && errorRun_ == run_;
  message_->setVisible(failed || lack.isEmpty());
  message_->setText(failed   ? error_
                    : found_ ? caption()
                             : tr("Not measured yet. %1").arg(howMeasured()));
  showFound();
}

void MeasuredPanel::showButtons() {
  buttons_->setState({.possible = arrived_ && lacking().isEmpty(),
                      .measured = found_,
                      .busy = measuring_ > 0,
                      .ofOther = measuring_ > 0 && measuring_ != choice_->run()});
}

void MeasuredPanel::setProgress(qint64 run, double share) {
  const bool first = measuring_ != run;
  measuring_ = run;
  buttons_->setShare(share);
  if (first) showChoice();
}

void MeasuredPanel::setMeasured(qint64 run) {
  measuring_ = 0;
  error_.clear();
  if (run == choice_->run()) emit runChosen(run);
  showButtons();
}

void MeasuredPanel::setCancelled(qint64 run) {
  setError(run, tr("Cancelled: nothing is stored of what was measured."));
}

void MeasuredPanel::setError(qint64 run, const QString& message) {
  measuring_ = 0;
  errorRun_ = run;
  error_ = message;
  showButtons();
  showChoice();
}

void MeasuredPanel::follow(const Selection& choice) {
  const bool listed = choice_->follow(choice);
  if (choice.run) unlisted_ = listed ? 0 : *choice.run;
  const RunRow* other = choice_->newestBut(choice.run.value_or(0));
  if (choice.run && !listed)
    setLack(imported_.lackOf(
                unlisted_,
                tr("The chosen run has saved no checkpoint yet: there is no model to measure.")),
            other ? remedyOf(other->id, other->name) : LackPage::Remedy());
}

Json MeasuredPanel::saveState() const {
  Json state = Json::object();
  choice_->addState(state);
  return state;
}

void MeasuredPanel::restoreState(const Json& state) {
  const SavedState saved(state);
  choice_->restore(saved);
  restored_ = saved.text("checkpoint").has_value();
}

}  // namespace strata::ui
