#include "ui/panels/hop_weights_panel.h"

#include <QAction>
#include <QButtonGroup>
#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QListWidget>
#include <QScrollArea>
#include <QSignalBlocker>
#include <QSplitter>
#include <QStandardItemModel>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>

#include "ui/data/hop_pictures.h"
#include "ui/data/line_text.h"
#include "ui/data/saved_state.h"
#include "ui/data/text.h"
#include "ui/panels/hop_views.h"
#include "ui/plots/curve_plot.h"
#include "ui/plots/heat_map.h"
#include "ui/plots/picture_export.h"
#include "ui/style/theme.h"
#include "ui/widgets/building.h"
#include "ui/widgets/export_dialog.h"
#include "ui/widgets/recorded_steps.h"

namespace strata::ui {
namespace {

const QString kEncoder = QStringLiteral("encoder"), kDecoder = QStringLiteral("decoder");

constexpr int kMostHops = 1000, kMostSentences = 1'000'000;  // of a saved state

}  // namespace

HopWeightsPanel::HopWeightsPanel(QAction* runDemo, QWidget* parent)
    : RecordingsPanel({QStringLiteral("hop-weights"), QStringLiteral("inside"), tr("Hop weights")},
                      parent) {
  setObjectName(QStringLiteral("hopWeightsPanel"));
  auto* content = new QWidget(this);
  auto* layout = makeLayout<QVBoxLayout>(content);
  layout->addWidget(makeToolBar());
  layout->addWidget(
      makeSplitter(Qt::Vertical, content, {{makeMeans(), 225, 2}, {makeSentences(), 495, 3}}), 1);
  setContent({tr("No recordings yet"),
              tr("A model with multi-hop self-attention fusion (presets "
                 "mlrf/…sa…) records at each validation which "
                 "layers its hops attend to. The demo trains one."),
              {runDemo}},
             content);
  connect(this, &RecordingsPanel::runChosen, this, [this] { means_.clear(); });
}

QWidget* HopWeightsPanel::makeToolBar() {
  auto* layout = makeBar(this);
  auto* bar = layout->parentWidget();
  addSteps(layout, QStringLiteral("hop"), &RunRow::fusionSteps);
  sides_ = new QButtonGroup(this);
  for (const auto& [name, text] : {std::pair{QStringLiteral("encoder"), tr("Encoder")},
                                   {QStringLiteral("decoder"), tr("Decoder")}}) {
    auto* button = named(styled(new QToolButton(bar), "flat"), name + QStringLiteral("Side"));
    button->setText(text);
    button->setProperty("side", name);
    button->setCheckable(true);
    sides_->addButton(button);
    layout->addWidget(button);
  }
  sides_->buttons().last()->setChecked(true);
  measure_ = named(new QComboBox(bar), "hopMeasure", tr("What the maps show"));
  measure_->addItems({tr("weight a"), tr("contribution a·‖z‖")});
  measure_->setToolTip(
      tr("The weight of each level, or its share of what the hop reads: a·‖z‖ / Σ a·‖z‖, with ‖z‖ "
         "the norm of the level at the position"));
  connect(measure_, &QComboBox::currentIndexChanged, this, &HopWeightsPanel::chooseMeasure);
  layout->addWidget(measure_);
  connect(sides_, &QButtonGroup::buttonClicked, this, &HopWeightsPanel::chooseSide);
  addExportTool(this, layout,
                {QStringLiteral("hopExport"),
                 tr("Export the hop weights…"),
                 {tr("Export the hop weights of this sentence and their means"), tr("All values"),
                  std::bind_front(&HopWeightsPanel::exportPicture, this),
                  std::bind_front(&HopWeightsPanel::failed, this), [] {
                    return QStringList{QStringLiteral("mean"), QStringLiteral("sentence")} +
                           HopViews::exportedParts();
                  }}});
  return bar;
}

QWidget* HopWeightsPanel::makeMeans() {
  auto* top = new QWidget(this);
  auto* topLayout = makeLayout<QHBoxLayout>(top, {10, 6, 6, 6}, kUsualSpacing);
  auto* left = new QVBoxLayout;
  meanTitle_ = styled(new QLabel(tr("Mean weight of each level"), top), "heading");
  left->addWidget(meanTitle_);
  meanMap_ = named(new HeatMapView(top), "hopMeanMap", tr("Mean weight of each level"));
  meanMap_->setAxisTitles(tr("level"), tr("hop"));
  left->addWidget(meanMap_, 1);
  entropy_ = named(styled(new QLabel(top), "muted"), "hopEntropy");
  entropy_->setWordWrap(true);
  entropy_->setToolTip(
      tr("Entropy of the weights over the levels, relative to the uniform distribution: 0 is a "
         "single level, 1 is uniform"));
  left->addWidget(entropy_);
  topLayout->addLayout(left, 2);
  views_ = named(new HopViews(top), "hopViews");
  hop_ = named(new QComboBox(views_), "hopOfCurve", tr("Hop"));
  hop_->setSizeAdjustPolicy(QComboBox::AdjustToContents);
  connect(hop_, &QComboBox::currentIndexChanged, this, &HopWeightsPanel::drawViews);
  views_->setCornerWidget(hop_);
  topLayout->addWidget(views_, 3);
  return top;
}

QWidget* HopWeightsPanel::makeSentences() {
  sentences_ = named(new QListWidget(this), "hopSentences", tr("Recorded sentences"));
  sentences_->setTextElideMode(Qt::ElideRight);
  sentences_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  connect(sentences_, &QListWidget::currentRowChanged, this, [this](int row) {
    drawSentence();
    if (row >= 0) shareSentence(current().sentences[std::size_t(row)].source, row);
  });
  auto* scroll = makeScrollArea(this);
  sentenceMap_ =
      named(new HeatMapView(scroll), "hopSentenceMap", tr("Weight of each level by word"));
  sentenceMap_->setLargestCell(46, 24);
  scroll->setWidget(sentenceMap_);
  return makeSplitter(Qt::Horizontal, this, {{sentences_, 150}, {scroll, 700, 1}});
}

QString HopWeightsPanel::side() const {
  return sides_->checkedButton()->property("side").toString();
}

CurvePlot* HopWeightsPanel::overTraining() const {
  return views_->overTraining();
}

// Steps that earlier builds recorded have no norms: their weights are shown.
HopMeasure HopWeightsPanel::measure() const {
  const auto chosen =
      measure_->currentIndex() == 1 ? HopMeasure::kContribution : HopMeasure::kWeight;
  return mean_.has(chosen) ? chosen : HopMeasure::kWeight;
}

int HopWeightsPanel::hop() const {
  return hop_->currentIndex() - 1;
}

Json HopWeightsPanel::saveState() const {
  Json state = recorded()->saveState();
  state["side"] = toStd(side());
  state["measure"] = measure_->currentIndex();
  state["view"] = views_->currentIndex();
  state["hop"] = hop_->count() > 0 ? hop_->currentIndex() : restoredHop_;
  state["sentence"] = restoredSentence_.value_or(sentences_->currentRow());
  return state;
}

void HopWeightsPanel::restoreState(const Json& state) {
  recorded()->restoreState(state);
  const SavedState saved(state);
  for (QAbstractButton* button : sides_->buttons()) {
    if (saved.text("side") == button->property("side").toString()) button->setChecked(true);
  }
  saved.index("measure", measure_);
  saved.index("view", views_);
  restoredHop_ = int(saved.number("hop", 0, kMostHops).value_or(-1));
  if (const auto row = saved.number("sentence", 0, kMostSentences)) restoredSentence_ = int(*row);
}

void HopWeightsPanel::showRecordings() {
  updateSides();
  drawMean();
  fillSentences();
}

// Only sides whose layers the model fuses can be selected.
void HopWeightsPanel::updateSides() {
  QAbstractButton* possible = nullptr;
  for (QAbstractButton* button : sides_->buttons()) {
    const auto side = toStd(button->property("side").toString());
    const bool has = hopMeans(current().sentences, side).levels > 0;
    button->setEnabled(has);
    if (has) possible = button;
  }
  if (!sides_->checkedButton()->isEnabled() && possible) possible->setChecked(true);
}

void HopWeightsPanel::chooseSide() {
  drawMean();
  fillSentences();
}

void HopWeightsPanel::chooseMeasure() {
  drawMean();
  drawSentence();
}

void HopWeightsPanel::drawMean() {
  mean_ = hopMeans(current().sentences, toStd(side()));
  if (auto* items = qobject_cast<QStandardItemModel*>(measure_->model()))
    items->item(1)->setEnabled(mean_.levels == 0 || mean_.has(HopMeasure::kContribution));
  const bool weights = measure() == HopMeasure::kWeight;
  for (HeatMapView* map : {meanMap_, sentenceMap_})
    map->setScaleTitle(weights ? tr("weight") : tr("contribution"));
  meanTitle_->setText(weights ? tr("Mean weight of each level")
                              : tr("Mean contribution of each level"));
  meanMap_->setMaps(hopNames(mean_.hops), meanPicture(mean_, measure()));
  QStringList entropies;
  for (int hop = 0; hop < mean_.hops; ++hop) {
    const auto evenness = double(mean_.entropy[std::size_t(hop)]);
    entropies << tr("hop %1: %2")
                     .arg(hop + 1)
                     .arg(std::isfinite(evenness) ? QString::number(evenness, 'f', 2)
                                                  : numberText(evenness));
  }
  entropy_->setText(mean_.hops > 0 ? tr("Evenness (1 = uniform over all levels): %1")
                                         .arg(entropies.join(QStringLiteral(", ")))
                                   : QString());
  listHops();
  drawViews();
}

void HopWeightsPanel::listHops() {
  const QSignalBlocker blocker(hop_);
  if (hop_->count() == mean_.hops + 1) return;
  hop_->clear();
  hop_->addItem(tr("mean of the hops"));
  hop_->addItems(hopNames(mean_.hops));
  // At first one hop: the mean of all is the least informative.
  const int wanted = mean_.hops > 0 ? std::exchange(restoredHop_, -1) : -1;
  const bool has = wanted >= 0 && wanted <= mean_.hops;
  hop_->setCurrentIndex(has ? wanted : mean_.hops > 0 ? 1 : 0);
}

void HopWeightsPanel::drawViews() {
  views_->setStep(current(), mean_, toStd(side()), hop());
  drawOverTraining();
}

void HopWeightsPanel::fillSentences() {
  int row = std::max(0, sentences_->currentRow());
  if (!current().sentences.empty())
    row = std::exchange(restoredSentence_, std::nullopt).value_or(row);
  {
    const QSignalBlocker blocker(sentences_);
    sentences_->clear();
    for (const SentenceRecordings& sentence : current().sentences) {
      const QString source = sentenceText(sentence.source), output = sentenceText(sentence.target);
      auto* item = new QListWidgetItem(lineText(side() == kEncoder ? source : output), sentences_);
      item->setToolTip(tr("source: %1\noutput: %2").arg(source, output));
    }
    sentences_->setCurrentRow(std::min(row, sentences_->count() - 1));
  }
  drawSentence();
}

void HopWeightsPanel::showSentence(int index) {
  sentences_->setCurrentRow(index);
}

void HopWeightsPanel::drawSentence() {
  const int row = sentences_->currentRow();
  if (row < 0) {
    sentenceMap_->setMaps({}, {});
    return;
  }
  const SentenceRecordings& sentence = current().sentences[std::size_t(row)];
  sentenceMap_->setMaps(qs(hopColumns(sentence, toStd(side()))),
                        hopPictures(sentence, toStd(side()), measure()));
  sentenceMap_->setAxisTitles(
      {}, side() == kEncoder ? tr("source words") : tr("word read → word generated"));
}

void HopWeightsPanel::setMeans(qint64 id, const QString& ofSide, const QVector<HopMeans>& means) {
  if (id != recorded()->run()) return;
  means_[ofSide] = means;
  if (ofSide == side()) drawOverTraining();
}

void HopWeightsPanel::drawOverTraining() {
  views_->setTraining(means_.value(side()), measure(), hop());
}

void HopWeightsPanel::exportPicture(const QString& path) {
  meanMap_->exportTo(siblingPath(path, QStringLiteral("mean")));
  sentenceMap_->exportTo(siblingPath(path, QStringLiteral("sentence")));
  views_->exportTo(path);
}

void HopWeightsPanel::changeEvent(QEvent* event) {
  QWidget::changeEvent(event);
  if (event->type() == QEvent::PaletteChange) drawOverTraining();
}

bool HopWeightsPanel::isUpToDate() const {
  return RecordingsPanel::isUpToDate() &&
         (isEmpty() || !lack().isEmpty() ||
          (means_.contains(side()) &&
           (views_->currentWidget() != overTraining() || overTraining()->isUpToDate())));
}

Here HopWeightsPanel::here() const {
  Here here = Panel::here();
  const auto* map = qobject_cast<const HeatMapView*>(focusWidget());
  if (!map || map->cursor().map < 0) return here;
  const HeatMapCell at = map->cursor();
  const QStringList& levels = map->maps()[at.map].rows;
  const int hop = map == meanMap_ ? at.column : at.map;
  const bool mean = map == meanMap_, weights = measure() == HopMeasure::kWeight;
  const QString symbol = weights ? (mean ? QStringLiteral("ā_pl") : QStringLiteral("a_pl"))
                                 : (mean ? QStringLiteral("c̄_pl") : QStringLiteral("c_pl"));
  here.add(symbol, double(map->valueAt(at)));
  here.add(QStringLiteral("p"), QString::number(hop + 1));
  here.add(QStringLiteral("l"), levels[at.row]);
  here.add(QStringLiteral("n"), QString::number(levels.size()));
  if (map == meanMap_ && hop < mean_.hops)
    here.add(QStringLiteral("H_p"), double(mean_.entropy[std::size_t(hop)]));
  return here;
}

QString HopWeightsPanel::lackOf(const RunRow& run) const {
  return tr("The hops of %1 have not been recorded. Only models with layer fusion (the presets of "
            "mlrf/ whose names are not \"base\") have them; they are recorded at each validation.")
      .arg(run.name);
}

}  // namespace strata::ui
