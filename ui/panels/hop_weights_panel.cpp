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
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>

#include "ui/data/hop_pictures.h"
#include "ui/data/saved_state.h"
#include "ui/data/text.h"
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

QStringList hopNames(int hops) {
  QStringList names;
  for (int hop = 1; hop <= hops; ++hop) names << HopWeightsPanel::tr("hop %1").arg(hop);
  return names;
}

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
  connect(sides_, &QButtonGroup::buttonClicked, this, &HopWeightsPanel::chooseSide);
  addExportTool(this, layout,
                {QStringLiteral("hopExport"),
                 tr("Export the hop weights…"),
                 {tr("Export the hop weights of this sentence and their means"), tr("All values"),
                  std::bind_front(&HopWeightsPanel::exportPicture, this),
                  std::bind_front(&HopWeightsPanel::failed, this), [] {
                    return QStringList{QStringLiteral("mean"), QStringLiteral("sentence")};
                  }}});
  return bar;
}

QWidget* HopWeightsPanel::makeMeans() {
  auto* top = new QWidget(this);
  auto* topLayout = makeLayout<QHBoxLayout>(top, {10, 6, 6, 6}, kUsualSpacing);
  auto* left = new QVBoxLayout;
  left->addWidget(styled(new QLabel(tr("Mean weight of each level"), top), "heading"));
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
  auto* right = new QVBoxLayout;
  auto* head = new QHBoxLayout;
  head->addWidget(styled(new QLabel(tr("Over training"), top), "heading"));
  hop_ = named(new QComboBox(top), "hopOfCurve", tr("Hop"));
  hop_->setSizeAdjustPolicy(QComboBox::AdjustToContents);
  connect(hop_, &QComboBox::currentIndexChanged, this, &HopWeightsPanel::drawOverTraining);
  head->addStretch();
  head->addWidget(hop_);
  right->addLayout(head);
  overTraining_ = named(new CurvePlot(top), "hopOverTraining", tr("Mean weights over training"));
  overTraining_->setYTitle(tr("weight"));
  overTraining_->setFixedY(0, 1);  // the scale of the maps
  right->addWidget(overTraining_, 1);
  topLayout->addLayout(right, 3);
  return top;
}

QWidget* HopWeightsPanel::makeSentences() {
  sentences_ = named(new QListWidget(this), "hopSentences", tr("Recorded sentences"));
  sentences_->setTextElideMode(Qt::ElideRight);
  sentences_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  connect(sentences_, &QListWidget::currentRowChanged, this, &HopWeightsPanel::drawSentence);
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

Json HopWeightsPanel::saveState() const {
  Json state = recorded()->saveState();
  state["side"] = toStd(side());
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
  drawOverTraining();
}

void HopWeightsPanel::drawMean() {
  const HopMeans means = hopMeans(current().sentences, toStd(side()));
  meanMap_->setMaps(hopNames(means.hops), meanPicture(means));
  QStringList entropies;
  for (int hop = 0; hop < means.hops; ++hop) {
    const auto evenness = double(means.entropy[std::size_t(hop)]);
    entropies << tr("hop %1: %2")
                     .arg(hop + 1)
                     .arg(std::isfinite(evenness) ? QString::number(evenness, 'f', 2)
                                                  : numberText(evenness));
  }
  entropy_->setText(means.hops > 0 ? tr("Evenness (1 = uniform over all levels): %1")
                                         .arg(entropies.join(QStringLiteral(", ")))
                                   : QString());
  const QSignalBlocker blocker(hop_);
  if (hop_->count() != means.hops + 1) {
    hop_->clear();
    hop_->addItem(tr("mean of the hops"));
    hop_->addItems(hopNames(means.hops));
    // At first one hop: the mean of all is the least informative.
    const int wanted = means.hops > 0 ? std::exchange(restoredHop_, -1) : -1;
    const bool has = wanted >= 0 && wanted <= means.hops;
    hop_->setCurrentIndex(has ? wanted : means.hops > 0 ? 1 : 0);
    drawOverTraining();
  }
}

void HopWeightsPanel::fillSentences() {
  int row = std::max(0, sentences_->currentRow());
  if (!current().sentences.empty())
    row = std::exchange(restoredSentence_, std::nullopt).value_or(row);
  {
    const QSignalBlocker blocker(sentences_);
    sentences_->clear();
    for (const SentenceRecordings& sentence : current().sentences) {
      const QString text = sentenceText(side() == kEncoder ? sentence.source : sentence.target);
      auto* item = new QListWidgetItem(text, sentences_);
      item->setToolTip(tr("source: %1\noutput: %2")
                           .arg(sentenceText(sentence.source), sentenceText(sentence.target)));
    }
    sentences_->setCurrentRow(std::min(row, sentences_->count() - 1));
  }
  drawSentence();
}

void HopWeightsPanel::drawSentence() {
  const int row = sentences_->currentRow();
  if (row < 0) {
    sentenceMap_->setMaps({}, {});
    return;
  }
  const SentenceRecordings& sentence = current().sentences[std::size_t(row)];
  sentenceMap_->setMaps(qs(hopColumns(sentence, toStd(side()))),
                        hopPictures(sentence, toStd(side())));
  sentenceMap_->setAxisTitles(
      {}, side() == kEncoder ? tr("source words") : tr("word read → word generated"));
}

void HopWeightsPanel::setMeans(qint64 id, const QString& ofSide, const QVector<HopMeans>& means) {
  if (id != recorded()->run()) return;
  means_[ofSide] = means;
  if (ofSide == side()) drawOverTraining();
}

void HopWeightsPanel::drawOverTraining() {
  const QVector<HopMeans> means = means_.value(side());
  QVector<CurvePlot::Curve> curves;
  if (!means.isEmpty() && means.last().levels > 0) {
    const int levels = means.last().levels;
    const QStringList names = qs(levelNames(levels, means.last().firstLevel));
    for (int level = levels - 1; level >= 0; --level) {
      std::vector<ScalarPoint> points;
      for (const HopMeans& m : means) {
        if (m.levels != levels) continue;
        points.push_back({m.step, 0, m.weight(level, hop_->currentIndex() - 1)});
      }
      auto series = std::make_shared<Series>();
      series->append(points);
      curves.push_back({names[level], level, series});
    }
  }
  overTraining_->setCurves(curves);
}

void HopWeightsPanel::exportPicture(const QString& path) {
  meanMap_->exportTo(siblingPath(path, QStringLiteral("mean")));
  sentenceMap_->exportTo(siblingPath(path, QStringLiteral("sentence")));
}

void HopWeightsPanel::changeEvent(QEvent* event) {
  QWidget::changeEvent(event);
  if (event->type() == QEvent::PaletteChange) drawOverTraining();
}

bool HopWeightsPanel::isUpToDate() const {
  return RecordingsPanel::isUpToDate() &&
         (isEmpty() || !lack().isEmpty() ||
          (means_.contains(side()) && overTraining_->isUpToDate()));
}

Here HopWeightsPanel::here() const {
  Here here = Panel::here();
  const auto* map = qobject_cast<const HeatMapView*>(focusWidget());
  if (!map || map->cursor().map < 0) return here;
  const HeatMapCell at = map->cursor();
  const QStringList& levels = map->maps()[at.map].rows;
  const int hop = map == meanMap_ ? at.column : at.map;
  here.add(map == meanMap_ ? QStringLiteral("ā_pl") : QStringLiteral("a_pl"),
           double(map->valueAt(at)));
  here.add(QStringLiteral("p"), QString::number(hop + 1));
  here.add(QStringLiteral("l"), levels[at.row]);
  here.add(QStringLiteral("n"), QString::number(levels.size()));
  const HopMeans means = hopMeans(current().sentences, toStd(side()));
  if (map == meanMap_ && hop < means.hops)
    here.add(QStringLiteral("H_p"), double(means.entropy[std::size_t(hop)]));
  return here;
}

QString HopWeightsPanel::lackOf(const RunRow& run) const {
  return tr("The hops of %1 have not been recorded. Only models with layer fusion (the presets of "
            "mlrf/ whose names are not \"base\") have them; they are recorded at each validation.")
      .arg(run.name);
}

}  // namespace strata::ui
