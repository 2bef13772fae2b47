#include "ui/panels/histograms_panel.h"

#include <QAction>
#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QSignalBlocker>
#include <QVBoxLayout>
#include <algorithm>
#include <functional>
#include <limits>

#include "ui/data/gradient_flow.h"
#include "ui/data/saved_state.h"
#include "ui/data/text.h"
#include "ui/plots/histogram_map.h"
#include "ui/widgets/building.h"
#include "ui/widgets/export_dialog.h"
#include "ui/widgets/run_box.h"

namespace strata::ui {
namespace {

constexpr std::int64_t kMost = std::numeric_limits<int>::max();
const QString kSetting = QStringLiteral("recording.histogram_every");

QString titleOf(HistogramKind kind) {
  switch (kind) {
    case HistogramKind::kWeights:
      return HistogramsPanel::tr("weights");
    case HistogramKind::kGradients:
      return HistogramsPanel::tr("gradients");
    case HistogramKind::kActivations:
      return HistogramsPanel::tr("activations");
  }
  return {};
}

}  // namespace

HistogramsPanel::HistogramsPanel(QAction* runDemo, QWidget* parent)
    : Panel({QStringLiteral("histograms"), QStringLiteral("histogram"), tr("Histograms")}, parent) {
  setObjectName(QStringLiteral("histogramsPanel"));
  auto* content = new QWidget(this);
  auto* layout = makeLayout<QVBoxLayout>(content);
  layout->addWidget(makeToolBar(content));
  map_ = named(new HistogramMapView(content), "histogramMap", tr("Histograms over training"));
  connect(map_, &HistogramMapView::stepChosen, this,
          [this](qint64 step) { share({.run = runs_->run(), .step = step}); });
  layout->addWidget(map_, 1);
  setContent({tr("No histograms yet"),
              tr("How the weights, gradients and activations of each layer are spread over "
                 "training: what dies, explodes or stays. Start a run with %1 above 0.")
                  .arg(kSetting),
              {runDemo}},
             content);
}

QWidget* HistogramsPanel::makeToolBar(QWidget* parent) {
  auto* layout = makeBar(parent, 8);
  auto* bar = layout->parentWidget();
  runs_ = named(new RunBox(bar), "histogramRun", tr("Run"));
  layout->addWidget(runs_);
  kind_ = addChoice(layout, QStringLiteral("histogramKind"), tr("What is counted"));
  for (const HistogramKind kind : kHistogramKinds) kind_->addItem(titleOf(kind), int(kind));
  kind_->setToolTip(
      tr("Parameters, their gradients before clipping, or the outputs of the layers for eight "
         "validation sentences"));
  layer_ = addChoice(layout, QStringLiteral("histogramLayer"), tr("Layer"));
  note_ = styled(named(new QLabel(bar), "histogramNote"), "muted");
  note_->setWordWrap(true);  // a narrow window keeps the tools
  layout->addWidget(note_, 1);
  addCopyCommand(layout, [this] { return arguments(); });
  addExportTool(this, layout,
                {QStringLiteral("histogramExport"),
                 tr("Export the histograms…"),
                 {tr("Export the histograms"), tr("All bins"),
                  std::bind_front(&HistogramsPanel::exportTo, this),
                  std::bind_front(&HistogramsPanel::failed, this)}});
  connect(runs_, &QComboBox::currentIndexChanged, this, &HistogramsPanel::ask);
  connect(runs_, &QComboBox::activated, this, [this] { share({.run = runs_->run()}); });
  connect(kind_, &QComboBox::currentIndexChanged, this, &HistogramsPanel::ask);
  connect(layer_, &QComboBox::currentIndexChanged, this, [this] {
    wantedLayer_ = layer_->currentData().toString();
    ask();
  });
  return bar;
}

void HistogramsPanel::setRuns(const QVector<RunRow>& runs) {
  const QVector<RunRow> all = newestFirst(runs);
  setEmpty(all.isEmpty());
  const qint64 before = runs_->run();
  runs_->setRuns(all, before > 0 ? before : restoredRun_);
  if (runs_->run() != before) return ask();
  if (runs_->problem() != problem_) sayWhatIsMissing();
}

HistogramChoice HistogramsPanel::choice() const {
  return {.run = runs_->run(),
          .kind = HistogramKind(kind_->currentData().toInt()),
          .layer = wantedLayer_};
}

QStringList HistogramsPanel::arguments() const {
  QStringList words{QStringLiteral("runs"), QStringLiteral("histograms"), runs_->currentText(),
                    QStringLiteral("--kind"), qs(nameOf(choice().kind))};
  if (layer_->currentIndex() >= 0)
    words << QStringLiteral("--layer") << layer_->currentData().toString();
  return words;
}

// The log of a run is read: only for somebody who looks.
void HistogramsPanel::ask() {
  arrived_ = false;
  sayWhatIsMissing();
  if (isVisible() && runs_->run() > 0) emit histogramsWanted(choice());
}

void HistogramsPanel::setHistograms(const RunHistograms& histograms) {
  const HistogramChoice wanted = choice();
  if (histograms.choice.run != wanted.run || histograms.choice.kind != wanted.kind) return;
  arrived_ = true;
  shown_ = histograms;
  showLayers();
  sayWhatIsMissing();
  const QString title =
      tr("%1 of %2: %3")
          .arg(titleOf(wanted.kind), layerTitle(shown_.choice.layer), runs_->currentText());
  map_->setSteps(shown_.steps.empty() ? QString() : title, shown_.steps);
  showFigures();
}

// Of the run: its folder, or the setting that turns histograms on.
void HistogramsPanel::sayWhatIsMissing() {
  problem_ = runs_->problem();
  if (!problem_.isEmpty() || !arrived_ || shown_.recorded) return setLack(problem_);
  setLack(tr("“%1” has recorded no histograms. A run records them if %2 is above 0, for example "
             "100, which may be set when it is resumed.")
              .arg(runs_->currentText(), kSetting),
          {tr("Show the setting"), [this] { emit settingWanted(kSetting); }});
}

void HistogramsPanel::showLayers() {
  const QSignalBlocker blocker(layer_);
  layer_->clear();
  for (const QString& layer : shown_.layers) layer_->addItem(layerTitle(layer), layer);
  selectData(layer_, shown_.choice.layer);
}

// Of the newest step, and the first at which something was not finite.
void HistogramsPanel::showFigures() {
  if (shown_.steps.empty())
    return note_->setText(tr("none of these: activations need a set that the run validates on"));
  const StepHistogram& newest = shown_.steps.back();
  const HistogramFigures figures = figuresOf(newest.values);
  QString text =
      tr("step %1: median magnitude %2, zero %3 of %4 values")
          .arg(countText(newest.step), numberText(figures.magnitude, 3),
               tr("%1 %").arg(numberText(100 * figures.zeroShare(), 3)), countText(figures.values));
  const auto broken = std::ranges::find_if(shown_.steps, [](const StepHistogram& step) {
    return step.values.counts[std::size_t(kNonFiniteBin)] > 0;
  });
  if (broken != shown_.steps.end())
    text = tr("%n value(s) NaN or infinite at step %1 ✕", nullptr,
              int(std::min<std::int64_t>(broken->values.counts[std::size_t(kNonFiniteBin)], kMost)))
               .arg(countText(broken->step));
  note_->setText(text);
}

Here HistogramsPanel::here() const {
  Here here = Panel::here();
  const HistogramMapView::Cell cell = map_->cursor();
  if (here.place.isEmpty() || cell.column < 0 || map_->map().isEmpty()) return here;
  const HistogramMap::Column& column = map_->map().columns[std::size_t(cell.column)];
  here.add(QStringLiteral("h_b"), column.shares[std::size_t(cell.row)]);
  here.add(QStringLiteral("n"), countText(column.figures.finite()));
  here.add(QStringLiteral("x̃"), column.figures.quantiles[kHistogramQuantiles.size() / 2]);
  return here;
}

void HistogramsPanel::follow(const Selection& choice) {
  if (choice.run) runs_->showRun(*choice.run);
}

Json HistogramsPanel::saveState() const {
  return {{"run", runs_->run() > 0 ? runs_->run() : restoredRun_},
          {"kind", nameOf(choice().kind)},
          {"layer", toStd(wantedLayer_)}};
}

void HistogramsPanel::restoreState(const Json& state) {
  const SavedState saved(state);
  restoredRun_ = saved.number("run").value_or(restoredRun_);
  wantedLayer_ = saved.text("layer").value_or(wantedLayer_);
  if (const auto kind = histogramKindFrom(toStd(saved.text("kind").value_or(QString()))))
    selectData(kind_, int(*kind));
}

void HistogramsPanel::showEvent(QShowEvent* event) {
  Panel::showEvent(event);
  ask();
}

void HistogramsPanel::hideEvent(QHideEvent* event) {
  Panel::hideEvent(event);
  emit histogramsWanted({});
}

void HistogramsPanel::exportTo(const QString& path) {
  map_->exportTo(path);
}

bool HistogramsPanel::isUpToDate() const {
  return isEmpty() || arrived_ || !lack().isEmpty();
}

}  // namespace strata::ui
