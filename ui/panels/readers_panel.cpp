#include "ui/panels/readers_panel.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QProgressBar>
#include <QPushButton>
#include <QScrollArea>
#include <QSignalBlocker>
#include <QSpinBox>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>
#include <functional>

#include "ui/data/saved_state.h"
#include "ui/data/text.h"
#include "ui/plots/heat_map.h"
#include "ui/widgets/building.h"
#include "ui/widgets/export_dialog.h"
#include "ui/widgets/run_box.h"

namespace strata::ui {
namespace {

constexpr int kMostRead = 1'000'000, kUsuallyRead = 300;  // sentences

QString titleOf(ReadMeasure measure) {
  switch (measure) {
    case ReadMeasure::kShare:
      return ReadersPanel::tr("Read share");
    case ReadMeasure::kWeight:
      return ReadersPanel::tr("Weight");
    case ReadMeasure::kScaled:
      return ReadersPanel::tr("Weight × input");
  }
  return {};
}

// Short: as wide as a legend.
QString legendOf(ReadMeasure measure) {
  switch (measure) {
    case ReadMeasure::kShare:
      return ReadersPanel::tr("share");
    case ReadMeasure::kWeight:
      return ReadersPanel::tr("weight");
    case ReadMeasure::kScaled:
      return ReadersPanel::tr("w × input");
  }
  return {};
}

QString equationOf(ReadMeasure measure) {
  switch (measure) {
    case ReadMeasure::kShare:
      return ReadersPanel::tr(
          "Read share = RMS(W_b x_b) ⁄ Σ RMS(W_b x_b) over the reader's blocks b: rows sum to 1. "
          "W_b are the reader's columns for the block, x_b the block's values.");
    case ReadMeasure::kWeight:
      return ReadersPanel::tr(
          "Weight = ‖W_b‖ ⁄ √entries of the reader's columns for the block, weight norm applied, "
          "all taps of a convolution.");
    case ReadMeasure::kScaled:
      return ReadersPanel::tr(
          "Weight × input = ‖W_b‖ ⁄ √entries · RMS(x_b) of the block's values.");
  }
  return {};
}

QComboBox* addReadersBox(QLayout* bar, const QString& name, const QString& accessible) {
  auto* box = named(new QComboBox(bar->parentWidget()), name, accessible);
  box->setSizeAdjustPolicy(QComboBox::AdjustToContents);
  bar->addWidget(box);
  return box;
}

}  // namespace

ReadersPanel::ReadersPanel(QAction* runDemo, QWidget* parent)
    : Panel({QStringLiteral("readers"), QStringLiteral("attention"), tr("Who reads whom")},
            parent) {
  setObjectName(QStringLiteral("readersPanel"));
  auto* content = new QWidget(this);
  auto* layout = makeLayout<QVBoxLayout>(content);
  layout->addWidget(makeChoices());
  layout->addWidget(makeActions());
  message_ = named(new QLabel(content), "readersMessage");
  message_->setWordWrap(true);
  message_->setContentsMargins(10, 4, 10, 4);
  message_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  layout->addWidget(message_);
  result_ = makePicture();
  result_->hide();
  layout->addWidget(result_, 1);
  layout->addStretch();
  setContent({tr("No model yet"),
              tr("How much each layer of a densely connected model takes from the layers before it "
                 "is measured and drawn here."),
              {runDemo}},
             content);
  showButtons();
  connect(runs_, &QComboBox::currentIndexChanged, this, &ReadersPanel::chooseRun);
  connect(runs_, &QComboBox::activated, this, [this] { share({.run = runs_->run()}); });
  for (QComboBox* box : {checkpoint_, set_})
    connect(box, &QComboBox::currentIndexChanged, this, &ReadersPanel::showChoice);
  connect(limit_, &QSpinBox::valueChanged, this, &ReadersPanel::showChoice);
  connect(map_, &QComboBox::activated, this, [this] { wantedMap_ = map_->currentText(); });
  connect(map_, &QComboBox::currentIndexChanged, this, &ReadersPanel::draw);
  connect(measure_, &QComboBox::currentIndexChanged, this, &ReadersPanel::showChoice);
  connect(checkpoint_, &QComboBox::activated, this, [this] {
    const QString selector = checkpoint_->currentData().toString();
    if (selector == QLatin1String("best") || selector == QLatin1String("last"))
      share({.run = runs_->run(), .checkpoint = selector});
  });
}

QWidget* ReadersPanel::makeChoices() {
  auto* bar = makeBar(this);
  runs_ = named(new RunBox(this), "readersRun", tr("Run"));
  bar->addWidget(runs_);
  checkpoint_ = addReadersBox(bar, QStringLiteral("readersCheckpoint"), tr("Checkpoint"));
  set_ = addReadersBox(bar, QStringLiteral("readersSet"), tr("Validation set"));
  limit_ = named(new QSpinBox(this), "readersLimit", tr("Number of sentences"));
  limit_->setRange(0, kMostRead);
  limit_->setSingleStep(100);
  limit_->setValue(kUsuallyRead);
  limit_->setSpecialValueText(tr("all sentences"));
  limit_->setSuffix(tr(" sentences"));
  limit_->setToolTip(tr("The set's first sentences, on which the layers' inputs are measured"));
  bar->addWidget(limit_);
  start_ = named(new QPushButton(tr("Measure"), this), "readersStart");
  bar->addWidget(start_);
  cancel_ = named(new QPushButton(tr("Cancel"), this), "readersCancel");
  bar->addWidget(cancel_);
  progress_ = named(new QProgressBar(this), "readersProgress", tr("Progress"));
  progress_->setRange(0, 1000);
  progress_->setMaximumWidth(100);
  bar->addWidget(progress_);
  bar->addStretch();
  connect(start_, &QPushButton::clicked, this, [this] {
    error_.clear();
    const QStringList anew = shown_ ? QStringList{QStringLiteral("--again")} : QStringList();
    emit startRequested(runs_->run(), runs_->currentText(), arguments() + anew);
    showButtons();
  });
  connect(cancel_, &QPushButton::clicked, this, &ReadersPanel::cancelRequested);
  return bar->parentWidget();
}

QWidget* ReadersPanel::makeActions() {
  auto* bar = makeBar(this);
  map_ = addReadersBox(bar, QStringLiteral("readersMap"), tr("Part of the model"));
  measure_ = addReadersBox(bar, QStringLiteral("readersMeasure"), tr("What is compared"));
  for (const ReadMeasure each : kReadMeasures) {
    measure_->addItem(titleOf(each), qs(strata::nameOf(each)));
    measure_->setItemData(measure_->count() - 1, qs(describe(each)), Qt::ToolTipRole);
  }
  bar->addStretch();
  addCopyCommand(bar, [this] { return arguments(); });
  addExportTool(this, bar,
                {QStringLiteral("readersExport"),
                 tr("Export who reads whom…"),
                 {tr("Export this picture"), tr("Its values"),
                  [this](const QString& path) { picture_->exportTo(path); },
                  std::bind_front(&ReadersPanel::failed, this)}});
  return bar->parentWidget();
}

QWidget* ReadersPanel::makePicture() {
  auto* content = new QWidget(this);
  auto* column = makeLayout<QVBoxLayout>(content);
  picture_ = named(new HeatMapView(content), "readersPicture", tr("Who reads whom"));
  picture_->setAxisTitles({}, tr("what the layer of a row reads"));
  auto* scroll = makeScrollArea(content);
  scroll->setWidget(picture_);
  column->addWidget(scroll, 1);
  const auto addLine = [&](const char* name, const char* style) {
    auto* label = named(styled(new QLabel(content), style), QLatin1String(name));
    label->setWordWrap(true);
    label->setContentsMargins(10, 2, 10, 4);
    column->addWidget(label);
    return label;
  };
  readout_ = addLine("readersReadout", "plain");
  equation_ = addLine("readersEquation", "muted");
  connect(picture_, &HeatMapView::hovered, this,
          [this](int, int row, int at) { readOut(row, at); });
  return content;
}

ReadMeasure ReadersPanel::measure() const {
  return kReadMeasures[std::size_t(measure_->currentIndex())];
}

QStringList ReadersPanel::arguments() const {
  QStringList arguments{
      QStringLiteral("readers"),
      QStringLiteral("%1@%2").arg(runs_->currentText(), checkpoint_->currentData().toString()),
      QStringLiteral("--measure"),
      measure_->currentData().toString(),
      QStringLiteral("--limit"),
      QString::number(limit_->value())};
  if (set_->count() > 0) arguments << QStringLiteral("--set") << set_->currentText();
  return arguments;
}

void ReadersPanel::setRuns(const QVector<RunRow>& runs) {
  const auto place = [](const QVector<RunRow>& all, qint64 id) {
    const RunRow* row = findRun(all, id);
    return row ? std::pair(row->bestStep, row->lastStep) : std::pair<qint64, qint64>(-1, -1);
  };
  const qint64 chosen = runs_->run();
  const bool grown = place(listed_, chosen) != place(runs, chosen);
  listed_ = runs;
  setEmpty(runs.isEmpty());
  runs_->setRuns(runs, chosen > 0 ? chosen : restoredRun_);
  if (runs_->run() != chosen) {
    chooseRun();
  } else if (grown) {
    emit runChosen(chosen);  // new checkpoints
  }
}

void ReadersPanel::chooseRun() {
  arrived_ = false;
  emit runChosen(runs_->run());
}

void ReadersPanel::setMeasured(const RunEffects& measured) {
  if (measured.run != runs_->run()) return;
  const bool other = measured.run != measured_.run;
  arrived_ = true;
  shown_ = nullptr;
  measured_ = measured;
  listChoices();
  if (other) showStored();
  showChoice();
}

void ReadersPanel::listChoices() {
  const QSignalBlocker checkpoints(checkpoint_), sets(set_);
  const QString checkpoint =
      checkpoint_->count() > 0 ? checkpoint_->currentData().toString() : wantedCheckpoint_;
  const QString set = set_->count() > 0 ? set_->currentText() : wantedSet_;
  checkpoint_->clear();
  for (const auto& each : measured_.checkpoints) {
    bool isStep = false;
    const qint64 step = each.selector.toLongLong(&isStep);
    checkpoint_->addItem(isStep ? tr("step %1").arg(countText(step)) : each.selector,
                         each.selector);
  }
  selectData(checkpoint_, checkpoint);
  set_->clear();
  set_->addItems(measured_.sets);
  set_->setCurrentIndex(std::max(0, set_->findText(set)));
}

// If what is chosen has not been measured of this run, but something else has, shows that.
void ReadersPanel::showStored() {
  if (found() || measured_.readers.empty()) return;
  const ReadersReport& stored = measured_.readers.front();
  const QSignalBlocker limits(limit_), sets(set_), checkpoints(checkpoint_);
  for (const auto& each : measured_.checkpoints) {
    if (each.name != qs(stored.key.checkpoint)) continue;
    selectData(checkpoint_, each.selector);
    break;
  }
  set_->setCurrentText(qs(stored.key.set));
  limit_->setValue(stored.key.sentences == stored.setSentences ? 0 : int(stored.key.sentences));
}

const ReadersReport* ReadersPanel::found() const {
  const auto chosen =
      std::ranges::find(measured_.checkpoints, checkpoint_->currentData().toString(),
                        &RunEffects::Checkpoint::selector);
  if (chosen == measured_.checkpoints.end()) return nullptr;
  const qint64 limit = limit_->value();
  for (const ReadersReport& each : measured_.readers) {
    const qint64 wanted =
        limit > 0 ? std::min<qint64>(limit, each.setSentences) : each.setSentences;
    if (qs(each.key.checkpoint) == chosen->name && qs(each.key.set) == set_->currentText() &&
        each.key.sentences == wanted)
      return &each;
  }
  return nullptr;
}

// Why the model cannot be measured.
QString ReadersPanel::lacking() const {
  if (measured_.checkpoints.isEmpty())
    return tr("This run has saved no checkpoint yet: its first validation will.");
  return qs(readersLackOf(measured_.model));
}

void ReadersPanel::showChoice() {
  if (!arrived_) return;
  shown_ = found();
  result_->setVisible(shown_ != nullptr);
  showButtons();
  const QString lack = lacking();
  if (!error_.isEmpty() && errorRun_ == measured_.run) {
    message_->setText(error_);
  } else if (shown_) {
    message_->setText(qs(captionOf(*shown_, measure())));
  } else if (!lack.isEmpty()) {
    message_->setText(lack);
  } else {
    message_->setText(
        tr("Not measured yet. Measure passes the sentences through the model once; the result is "
           "kept in the run's folder."));
  }
  listMaps();
  draw();
}

void ReadersPanel::listMaps() {
  QStringList maps;
  if (shown_) {
    for (const std::string& map : shown_->maps()) maps << qs(map);
  }
  QStringList listed;
  for (int i = 0; i < map_->count(); ++i) listed << map_->itemText(i);
  if (maps != listed) {
    const QSignalBlocker blocker(map_);
    map_->clear();
    map_->addItems(maps);
    map_->setCurrentIndex(std::max(0, map_->findText(wantedMap_)));
  }
  map_->setVisible(maps.size() > 1);
}

void ReadersPanel::draw() {
  equation_->setText(equationOf(measure()));
  readOut(-1, -1);
  if (!shown_) {
    drawn_ = {};
    return picture_->setMaps({}, {});
  }
  drawn_ = readMap(*shown_, toStd(map_->currentText()), measure());
  HeatMap map;
  for (const std::string& row : drawn_.rows) map.rows << qs(row);
  double most = 0;
  for (const double value : drawn_.values) {
    map.values.push_back(float(value));
    if (std::isfinite(value)) most = std::max(most, value);
  }
  QStringList columns;
  for (const std::string& column : drawn_.columns) columns << qs(column);
  picture_->setScale(measure() == ReadMeasure::kShare ? 1 : most);
  picture_->setScaleTitle(legendOf(measure()));
  picture_->setMaps(columns, {map});
}

void ReadersPanel::readOut(int row, int column) {
  if (row < 0 || column < 0 || row >= int(drawn_.rows.size()))
    return readout_->setText(tr("Point at a cell, or use the arrow keys."));
  const QString reader = qs(drawn_.rows[std::size_t(row)]),
                block = qs(drawn_.columns[std::size_t(column)]);
  const auto text = [&](ReadMeasure measure) {
    const ReadMap map = readMap(*shown_, toStd(map_->currentText()), measure);
    const double value = map.values[std::size_t(row) * map.columns.size() + std::size_t(column)];
    return std::isnan(value)
               ? QString()
               : tr("%1 %2").arg(titleOf(measure).toLower(), QString::number(value, 'f', 4));
  };
  QStringList figures;
  for (const ReadMeasure each : kReadMeasures) figures << text(each);
  figures.removeAll(QString());
  readout_->setText(figures.isEmpty()
                        ? tr("%1 does not read %2.").arg(reader, block)
                        : tr("%1 reads %2: %3").arg(reader, block, figures.join(tr(" · "))));
}

void ReadersPanel::showButtons() {
  const bool busy = measuring_ > 0;
  start_->setEnabled(!busy && arrived_ && lacking().isEmpty());
  start_->setText(shown_ ? tr("Measure again") : tr("Measure"));
  start_->setToolTip(busy && measuring_ != runs_->run()
                         ? tr("Another run is being measured")
                         : tr("Measures in a process of its own; results are stored"));
  start_->setVisible(!busy);
  cancel_->setVisible(busy);
  progress_->setVisible(busy);
}

void ReadersPanel::setProgress(qint64 run, double share) {
  const bool first = measuring_ != run;
  measuring_ = run;
  progress_->setValue(int(share * progress_->maximum()));
  if (first) showChoice();
}

void ReadersPanel::setFinished(qint64 run) {
  measuring_ = 0;
  error_.clear();
  if (run == runs_->run()) emit runChosen(run);
  showButtons();
}

void ReadersPanel::setCancelled(qint64 run) {
  setError(run, tr("Cancelled: nothing is stored of what was measured."));
}

void ReadersPanel::setError(qint64 run, const QString& message) {
  measuring_ = 0;
  errorRun_ = run;
  error_ = message;
  showButtons();
  showChoice();
}

void ReadersPanel::follow(const Selection& choice) {
  if (choice.run) runs_->showRun(*choice.run);
  if (!choice.checkpoint) return;
  wantedCheckpoint_ = *choice.checkpoint;
  selectData(checkpoint_, *choice.checkpoint);
}

Json ReadersPanel::saveState() const {
  return {{"run", runs_->run() > 0 ? runs_->run() : restoredRun_},
          {"checkpoint", toStd(checkpoint_->count() > 0 ? checkpoint_->currentData().toString()
                                                        : wantedCheckpoint_)},
          {"set", toStd(set_->count() > 0 ? set_->currentText() : wantedSet_)},
          {"limit", limit_->value()},
          {"map", toStd(wantedMap_)},
          {"measure", toStd(measure_->currentData().toString())}};
}

void ReadersPanel::restoreState(const Json& state) {
  const SavedState saved(state);
  restoredRun_ = saved.number("run").value_or(restoredRun_);
  wantedCheckpoint_ = saved.text("checkpoint").value_or(wantedCheckpoint_);
  wantedSet_ = saved.text("set").value_or(wantedSet_);
  wantedMap_ = saved.text("map").value_or(wantedMap_);
  saved.value("limit", limit_);
  if (const auto measure = saved.text("measure")) selectData(measure_, *measure);
}

}  // namespace strata::ui
