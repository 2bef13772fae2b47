#include "ui/panels/run_estimate.h"

#include <QHBoxLayout>
#include <QLabel>

#include "ui/data/text.h"
#include "ui/widgets/building.h"

namespace strata::ui {
namespace {
const QString kUnknown = QStringLiteral("–");
}

RunEstimate::RunEstimate(QWidget* parent) : QWidget(parent) {
  auto* layout = makeLayout<QHBoxLayout>(this, {}, 6);
  parameters_ = makeFigure(QStringLiteral("launchParameters"), tr("parameters"), layout);
  memory_ = makeFigure(QStringLiteral("launchMemory"), tr("of memory"), layout);
  time_ = makeFigure(QStringLiteral("launchTime"), tr("of training"), layout);
  basis_ = named(styled(new QLabel(this), "muted"), "launchBasis");
  basis_->setWordWrap(true);
  layout->addWidget(basis_, 1);
}

QLabel* RunEstimate::makeFigure(const QString& name, const QString& title, QLayout* layout) {
  auto* figure = named(styled(new QLabel(kUnknown, this), "heading"), name);
  figure->setToolTip(title);
  figure->setAccessibleName(title);
  layout->addWidget(figure);
  layout->addWidget(styled(new QLabel(title, this), "muted"));
  return figure;
}

void RunEstimate::setMeasuring() {
  estimate_.reset();
  for (QLabel* figure : {parameters_, memory_, time_}) figure->setText(QStringLiteral("…"));
  basis_->setText(tr("Estimating parameters, memory and time…"));
}

void RunEstimate::setReply(const serve::DryRunReply& reply) {
  estimate_ = reply.estimate;
  parameters_->setText(estimate_ ? countText(estimate_->parameters) : kUnknown);
  memory_->setText(estimate_ ? bytesText(double(estimate_->memoryBytes)) : kUnknown);
  showTime();
}

void RunEstimate::setRuns(int count) {
  runs_ = count;
  showTime();
}

// A range, because what else the computer does decides as much as the model.
void RunEstimate::showTime() {
  QString time = kUnknown, basis;
  if (estimate_ && estimate_->seconds) {
    time = tr("≈ %1").arg(durationText(*estimate_->seconds * runs_));
    if (estimate_->range && estimate_->range->least < estimate_->range->most)
      time = timeText({estimate_->range->least * runs_, estimate_->range->most * runs_});
    if (runs_ > 1) basis = tr("%n run(s) like the form's", nullptr, runs_) + QStringLiteral(", ");
  }
  if (estimate_ && estimate_->basis) {
    const TimeBasis& known = *estimate_->basis;
    basis += tr("%n step(s) measured here", nullptr, known.steps) + QStringLiteral(", ") +
             tr("%n thread(s)", nullptr, known.threads);
    if (known.otherRuns > 0)
      basis += QStringLiteral("; ") + tr("%n other run(s) in training", nullptr, known.otherRuns);
    if (known.otherCores >= 0.1)
      basis +=
          QStringLiteral("; ") +
          tr("other work uses %1 of %2 cores").arg(known.otherCores, 0, 'f', 1).arg(known.cores);
  }
  time_->setText(time);
  basis_->setText(basis);
  basis_->setToolTip(
      tr("The shorter time is that of a computer with nothing else to do, the longer "
         "one that of the slowest step measured. Validation is not counted. The time of several "
         "runs is that of one with the form's settings, one after the other."));
}

}  // namespace strata::ui
