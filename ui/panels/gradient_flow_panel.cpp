#include "ui/panels/gradient_flow_panel.h"

#include <QAction>
#include <QComboBox>
#include <QLabel>
#include <QSignalBlocker>
#include <algorithm>

#include "ui/data/gradient_flow.h"
#include "ui/plots/gradient_map.h"
#include "ui/widgets/empty_state.h"
#include "ui/widgets/export_dialog.h"

namespace strata::ui {

QVector<qint64> GradientFlowPanel::chosen() const {
  QVector<qint64> runs;
  for (const QComboBox* list : {first_, second_}) {
    const qint64 run = list->currentData().toLongLong();
    if (run > 0 && !runs.contains(run)) runs << run;
  }
  return runs;
}

void GradientFlowPanel::refill(QComboBox* list, bool allowNone) {
  const bool fresh = list->count() == 0;
  const qint64 before = list->currentData().toLongLong();
  const QSignalBlocker blocker(list);
  list->clear();
  if (allowNone) list->addItem(tr("no second run"), qint64(0));
  for (const RunRow& run : runs_) list->addItem(run.name, run.id);
  const int wanted = fresh && allowNone ? 2 : list->findData(before);  // next to the newest run
  list->setCurrentIndex(std::clamp(wanted, 0, list->count() - 1));
}

void GradientFlowPanel::setRuns(const QVector<RunRow>& runs) {
  QVector<RunRow> shown;
  for (auto it = runs.rbegin(); it != runs.rend(); ++it) {
    if (!it->trashed) shown << *it;
  }
  const bool same =
      std::equal(shown.begin(), shown.end(), runs_.begin(), runs_.end(),
                 [](const RunRow& a, const RunRow& b) { return a.id == b.id && a.name == b.name; });
  runs_ = shown;
  stack_->setEmpty(runs_.isEmpty());
  if (!same && !runs_.isEmpty()) {
    const QVector<qint64> before = chosen();
    refill(first_, false);
    refill(second_, true);
    if (chosen() != before) draw();
  }
  ask();
}

void GradientFlowPanel::showRun(qint64 run) {
  if (const int index = first_->findData(run); index >= 0) first_->setCurrentIndex(index);
}

void GradientFlowPanel::chooseRuns() {
  ask();
  draw();
}

// A run that is new or has progressed since.
void GradientFlowPanel::ask() {
  if (!isVisible()) return;
  const QVector<qint64> wanted = chosen();
  for (const RunRow& run : runs_) {
    if (!wanted.contains(run.id) || pending_.contains(run.id)) continue;
    if (requestedAt_.contains(run.id) && requestedAt_[run.id] == run.step) continue;
    requestedAt_[run.id] = run.step;
    pending_.insert(run.id);
    emit seriesRequested(run.id);
  }
}

void GradientFlowPanel::setSeries(qint64 run, const QVector<SeriesPoints>& series) {
  pending_.remove(run);
  series_[run] = series;
  if (chosen().contains(run)) draw();
  again_.start();
}

void GradientFlowPanel::draw() {
  const QVector<qint64> runs = chosen();
  for (auto it = series_.begin(); it != series_.end();) {
    if (runs.contains(it.key())) {
      ++it;
      continue;
    }
    requestedAt_.remove(it.key());
    it = series_.erase(it);
  }
  QVector<GradientMapView::Map> maps;
  QStringList without;
  for (const qint64 run : runs) {
    const auto row =
        std::find_if(runs_.begin(), runs_.end(), [run](const RunRow& r) { return r.id == run; });
    if (row == runs_.end() || !series_.contains(run)) continue;
    maps.push_back({row->name, series_[run]});
    if (series_[run].isEmpty()) without << row->name;
  }
  map_->setMaps(maps);
  note_->setText(without.isEmpty()
                     ? tr("each cell shows the maximum norm over its steps")
                     : tr("no gradient norms were recorded for %1").arg(without.join(tr(", "))));
}

void GradientFlowPanel::showEvent(QShowEvent* event) {
  QWidget::showEvent(event);
  ask();
}

void GradientFlowPanel::chooseExport() {
  askForExport(this, {tr("Export the gradient norms"), tr("All points"),
                      [this](const QString& path) { exportTo(path); },
                      [this](const QString& message) { emit failed(message); }});
}

void GradientFlowPanel::exportTo(const QString& path) {
  map_->exportTo(path);
}

bool GradientFlowPanel::isEmpty() const {
  return stack_->isEmpty();
}

bool GradientFlowPanel::isUpToDate() const {
  if (isEmpty()) return true;
  const QVector<qint64> runs = chosen();
  return std::all_of(runs.begin(), runs.end(),
                     [this](qint64 run) { return series_.contains(run); });
}

}  // namespace strata::ui
