#include "ui/panels/readers_panel.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QScrollArea>
#include <QSignalBlocker>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>
#include <functional>

#include "ui/data/saved_state.h"
#include "ui/data/text.h"
#include "ui/plots/heat_map.h"
#include "ui/widgets/building.h"
#include "ui/widgets/export_dialog.h"

namespace strata::ui {
namespace {

constexpr int kUsuallyRead = 300;  // sentences: enough for steady figures

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

}  // namespace

ReadersPanel::ReadersPanel(QAction* runDemo, QWidget* parent)
    : ReportPanel({QStringLiteral("readers"), QStringLiteral("attention"), tr("Who reads whom")},
                  QStringLiteral("readers"), parent) {
  choice().setLimit(kUsuallyRead);
  setParts({tr("No model yet"),
            tr("How much each layer of a densely connected model takes from the layers before it "
               "is measured and drawn here."),
            {runDemo}},
           makeActions(), makePicture());
  connect(map_, &QComboBox::activated, this, [this] { wantedMap_ = map_->currentText(); });
  connect(map_, &QComboBox::currentIndexChanged, this, &ReadersPanel::draw);
  connect(measure_, &QComboBox::currentIndexChanged, this, &ReadersPanel::showChoice);
}

QWidget* ReadersPanel::makeActions() {
  auto* bar = makeBar(this);
  map_ = addChoice(bar, QStringLiteral("readersMap"), tr("Part of the model"));
  measure_ = addChoice(bar, QStringLiteral("readersMeasure"), tr("What is compared"));
  for (const ReadMeasure each : kReadMeasures) {
    measure_->addItem(titleOf(each), qs(strata::nameOf(each)));
    measure_->setItemData(measure_->count() - 1, qs(describe(each)), Qt::ToolTipRole);
  }
  addButtons(bar);
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
  return QStringList{QStringLiteral("readers")} + choice().arguments() +
         QStringList{QStringLiteral("--measure"), measure_->currentData().toString()};
}

QString ReadersPanel::lacking() const {
  return choice().hasCheckpoint() ? qs(readersLackOf(loaded().model)) : MeasuredPanel::lacking();
}

LackPage::Remedy ReadersPanel::remedy() {
  return choice().hasCheckpoint() ? otherThan(loaded()) : MeasuredPanel::remedy();
}

QString ReadersPanel::howMeasured() const {
  return tr(
      "Start passes the sentences through the model once; the result is kept in the run's folder.");
}

QString ReadersPanel::caption() const {
  return qs(captionOf(*shown(), measure()));
}

void ReadersPanel::showFound() {
  listMaps();
  draw();
}

void ReadersPanel::listMaps() {
  QStringList maps;
  if (shown()) {
    for (const std::string& map : shown()->maps()) maps << qs(map);
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
  if (!shown()) {
    drawn_ = {};
    return picture_->setMaps({}, {});
  }
  drawn_ = readMap(*shown(), toStd(map_->currentText()), measure());
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
    const double read = value(measure, row, column);
    return std::isnan(read)
               ? QString()
               : tr("%1 %2").arg(titleOf(measure).toLower(), QString::number(read, 'f', 4));
  };
  QStringList figures;
  for (const ReadMeasure each : kReadMeasures) figures << text(each);
  figures.removeAll(QString());
  readout_->setText(figures.isEmpty()
                        ? tr("%1 does not read %2.").arg(reader, block)
                        : tr("%1 reads %2: %3").arg(reader, block, figures.join(tr(" · "))));
}

double ReadersPanel::value(ReadMeasure measure, int row, int column) const {
  const ReadMap map = readMap(*shown(), toStd(map_->currentText()), measure);
  return map.values[std::size_t(row) * map.columns.size() + std::size_t(column)];
}

Here ReadersPanel::here() const {
  const HeatMapCell at = picture_->cursor();
  if (!shown() || at.map < 0) return Panel::here();
  Here here{picture_->readout(at.map, at.row, at.column), {}};
  if (std::isnan(value(ReadMeasure::kWeight, at.row, at.column))) return here;  // nothing is read
  here.add(QStringLiteral("ρ_b"), value(ReadMeasure::kShare, at.row, at.column));
  here.add(QStringLiteral("m_b"), value(ReadMeasure::kWeight, at.row, at.column));
  return here;
}

Json ReadersPanel::saveState() const {
  Json state = MeasuredPanel::saveState();
  state["map"] = toStd(wantedMap_);
  state["measure"] = toStd(measure_->currentData().toString());
  return state;
}

void ReadersPanel::restoreState(const Json& state) {
  MeasuredPanel::restoreState(state);
  const SavedState saved(state);
  wantedMap_ = saved.text("map").value_or(wantedMap_);
  if (const auto measure = saved.text("measure")) selectData(measure_, *measure);
}

}  // namespace strata::ui
