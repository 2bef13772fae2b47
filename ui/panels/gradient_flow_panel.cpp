#include "ui/panels/gradient_flow_panel.h"

#include <QAction>
#include <QCheckBox>
#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QSignalBlocker>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>

#include "ui/data/gradient_flow.h"
#include "ui/data/saved_state.h"
#include "ui/plots/gradient_map.h"
#include "ui/style/theme.h"
#include "ui/widgets/empty_state.h"
#include "ui/widgets/export_dialog.h"

namespace strata::ui {
namespace {
constexpr int kRefreshMs = 1000;  // a training run writes about once per second
}

GradientFlowPanel::GradientFlowPanel(QAction* runDemo, QWidget* parent)
    : Panel({QStringLiteral("gradient-flow"), QStringLiteral("gradient"), tr("Gradient flow")},
            parent) {
  setObjectName(QStringLiteral("gradientFlowPanel"));
  auto* empty = new EmptyState(
      QStringLiteral("gradient"), tr("No gradients yet"),
      tr("The gradient norm of each encoder and decoder layer is drawn here while a run trains: "
         "where it vanishes, where it explodes. Start a run and its map appears automatically."));
  empty->addAction(runDemo);
  auto* content = new QWidget(this);
  auto* layout = new QVBoxLayout(content);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  layout->addWidget(makeToolBar());
  map_ = new GradientMapView(content);
  map_->setObjectName(QStringLiteral("gradientMap"));
  layout->addWidget(map_, 1);
  setContent(empty, content);
  again_.setSingleShot(true);
  again_.setInterval(kRefreshMs);
  connect(&again_, &QTimer::timeout, this, &GradientFlowPanel::ask);
}

QWidget* GradientFlowPanel::makeToolBar() {
  auto* bar = new QWidget(this);
  auto* layout = new QHBoxLayout(bar);
  layout->setContentsMargins(8, 6, 8, 6);
  layout->setSpacing(8);
  const auto list = [&](const QString& name, const QString& accessible) {
    auto* made = new QComboBox(bar);
    made->setObjectName(name);
    made->setAccessibleName(accessible);
    made->setMinimumWidth(150);
    connect(made, &QComboBox::currentIndexChanged, this, &GradientFlowPanel::chooseRuns);
    layout->addWidget(made);
    return made;
  };
  first_ = list(QStringLiteral("gradientFirstRun"), tr("Run"));
  second_ = list(QStringLiteral("gradientSecondRun"), tr("Second run"));
  connect(first_, &QComboBox::activated, this,
          [this] { share({.run = first_->currentData().toLongLong()}); });
  connect(second_, &QComboBox::activated, this,
          [this] { share({.other = second_->currentData().toLongLong()}); });
  logarithmic_ = new QCheckBox(tr("logarithmic"), bar);
  logarithmic_->setObjectName(QStringLiteral("gradientLogarithmic"));
  logarithmic_->setToolTip(tr("Logarithmic colour scale"));
  logarithmic_->setChecked(true);
  connect(logarithmic_, &QCheckBox::toggled, this, [this](bool on) { map_->setLogarithmic(on); });
  layout->addWidget(logarithmic_);
  note_ = new QLabel(bar);
  note_->setProperty("muted", true);
  note_->setWordWrap(true);  // a narrow window keeps the tools
  layout->addWidget(note_, 1);
  addExport(bar);
  return bar;
}

void GradientFlowPanel::addExport(QWidget* bar) {
  auto* action =
      new QAction(themedIcon(QStringLiteral("export")), tr("Export the gradient norms…"), this);
  action->setObjectName(QStringLiteral("gradientExport"));
  connect(action, &QAction::triggered, this, &GradientFlowPanel::chooseExport);
  addAction(action);
  auto* tool = new QToolButton(bar);
  tool->setDefaultAction(action);
  tool->setProperty("flat", true);
  bar->layout()->addWidget(tool);
}

QVector<qint64> GradientFlowPanel::chosen() const {
  QVector<qint64> runs;
  for (const QComboBox* list : {first_, second_}) {
    const qint64 run = list->currentData().toLongLong();
    if (run > 0 && !runs.contains(run)) runs << run;
  }
  return runs;
}

void GradientFlowPanel::refill(QComboBox* list, qint64 wanted) {
  const QSignalBlocker blocker(list);
  list->clear();
  if (list == second_) list->addItem(tr("no second run"), qint64(0));
  for (const RunRow& run : runs_) list->addItem(run.name, run.id);
  list->setCurrentIndex(std::max(0, list->findData(wanted)));
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
  setEmpty(runs_.isEmpty());
  if (!same && !runs_.isEmpty()) {
    const QVector<qint64> before = chosen();
    // At first the newest two.
    std::pair wanted{runs_[0].id, runs_.value(1, runs_[0]).id};
    if (first_->count() > 0)
      wanted = {first_->currentData().toLongLong(), second_->currentData().toLongLong()};
    wanted = std::exchange(restored_, std::nullopt).value_or(wanted);
    refill(first_, wanted.first);
    refill(second_, wanted.second);
    if (chosen() != before) draw();
  }
  ask();
}

void GradientFlowPanel::showRun(qint64 run) {
  if (const int index = first_->findData(run); index >= 0) first_->setCurrentIndex(index);
}

void GradientFlowPanel::follow(const Selection& choice) {
  if (choice.run) showRun(*choice.run);
  if (!choice.other) return;
  if (const int index = second_->findData(*choice.other); index >= 0)
    second_->setCurrentIndex(index);
}

Json GradientFlowPanel::saveState() const {
  Json state{{"logarithmic", logarithmic_->isChecked()}};
  std::optional<std::pair<qint64, qint64>> runs = restored_;
  if (first_->count() > 0)
    runs = {first_->currentData().toLongLong(), second_->currentData().toLongLong()};
  if (runs) {
    state["run"] = runs->first;
    state["other"] = runs->second;
  }
  return state;
}

void GradientFlowPanel::restoreState(const Json& state) {
  const SavedState saved(state);
  saved.check("logarithmic", logarithmic_);
  const auto run = saved.number("run"), other = saved.number("other");
  if (run && other) restored_ = {*run, *other};
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

bool GradientFlowPanel::isUpToDate() const {
  if (isEmpty()) return true;
  const QVector<qint64> runs = chosen();
  return std::all_of(runs.begin(), runs.end(),
                     [this](qint64 run) { return series_.contains(run); });
}

}  // namespace strata::ui
