#include "ui/panels/history_corpus_view.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QScrollArea>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>

#include "ui/data/text.h"
#include "ui/plots/category_plot.h"
#include "ui/plots/picture_export.h"
#include "ui/widgets/building.h"
#include "ui/widgets/chart_grid.h"

namespace strata::ui {
namespace {

QString layerName(int number) {
  return HistoryCorpusView::tr("layer %1").arg(number + 1);
}

std::vector<double> meansOf(const std::vector<MeanValue>& values) {
  std::vector<double> means;
  for (const MeanValue& value : values) means.push_back(value.mean());
  return means;
}

QString percent(double share) {
  return HistoryCorpusView::tr("%1 %").arg(100 * share, 0, 'f', 1);
}

}  // namespace

HistoryCorpusView::HistoryCorpusView(QWidget* parent)
    : QWidget(parent), computing_(new Background(this)) {
  auto* layout = makeLayout<QVBoxLayout>(this, {4, 6, 4, 4}, kUsualSpacing);
  auto* head = new QHBoxLayout;
  measure_ =
      named(new QComboBox(this), "historyMeasure", tr("How the share of the source is computed"));
  measure_->addItem(tr("share by norms of the contexts"), int(ShareMeasure::kNorms));
  measure_->addItem(tr("share by gate or softmax mass"), int(ShareMeasure::kWeights));
  measure_->setToolTip(
      tr("Norms can be compared over sum, gate and hybrid: |source| / (|source| + |history|). "
         "Gate or mass is the model's own weighting: the mean gate, or the joint softmax's mass on "
         "the source."));
  connect(measure_, &QComboBox::currentIndexChanged, this, &HistoryCorpusView::drawShares);
  head->addWidget(measure_);
  note_ = named(styled(new QLabel(this), "muted"), "historyNote");
  note_->setToolTip(
      tr("Always on whole words. recording.sentences sets how many sentences are recorded."));
  note_->setWordWrap(true);
  head->addWidget(note_, 1);
  layout->addLayout(head);
  layout->addWidget(makePlots(), 1);
}

QWidget* HistoryCorpusView::makePlots() {
  auto* charts = new ChartGrid(this);
  const auto plot = [&](const QString& name) {
    auto* made = named(new CategoryPlot(charts), name);
    charts->add(made);
    return made;
  };
  byPosition_ = plot(QStringLiteral("historyByPosition"));
  byClass_ = plot(QStringLiteral("historyByClass"));
  distances_ = plot(QStringLiteral("historyDistances"));
  gold_ = plot(QStringLiteral("historyGold"));
  byPosition_->setTitle(tr("Share of the source by position"));
  byPosition_->setAxisTitles(tr("word of the sentence"), tr("share of the source"));
  byClass_->setTitle(tr("Share of the source by class of the word generated"));
  byClass_->setAxisTitles(tr("word class"), tr("share of the source"));
  distances_->setAxisTitles(tr("words looked back"), tr("share"));
  distances_->setUnitScale(false);
  gold_->setAxisTitles({}, tr("share of arcs"));
  gold_->setUnitScale(false);
  auto* scroll = named(makeScrollArea(this), "historyCharts");
  scroll->setWidget(charts);
  return scroll;
}

void HistoryCorpusView::setRecordings(const SharedRecordings& recordings) {
  recordings_ = recordings;
  figures_ = {};
}

void HistoryCorpusView::draw(int layer) {
  layer_ = layer;
  if (recordings_ == nullptr) return;
  computing_->run(
      Background::placeFor(valueCount(*recordings_)),
      [recordings = recordings_, sentences = figures_.sentences, layer] {
        using Sentences = std::vector<CorpusSentence>;
        return figuresOf(
            sentences ? sentences : std::make_shared<const Sentences>(corpusSentences(*recordings)),
            layer);
      },
      [this](Figures figures) {
        figures_ = std::move(figures);
        drawAll();
      });
}

HistoryCorpusView::Figures HistoryCorpusView::figuresOf(
    std::shared_ptr<const std::vector<CorpusSentence>> sentences, int layer) {
  Figures made;
  made.distances =
      distancesLookedBack(*sentences, layer < 0 ? LayerChoice::kMean : layer, kLongestDistance);
  made.gold = goldHits(*sentences, LayerChoice::kMean);
  int layers = 0;
  for (const CorpusSentence& sentence : *sentences)
    layers = std::max(layers, int(sentence.words.layers.size()));
  for (int index = 0; index < layers && made.gold.words > 0; ++index)
    made.goldOfLayers.push_back(goldHits(*sentences, index));
  made.sentences = std::move(sentences);
  return made;
}

void HistoryCorpusView::drawAll() {
  drawShares();
  drawDistances();
  drawGold();
  describe();
}

void HistoryCorpusView::describe() {
  int words = 0;
  bool gold = false;
  for (const CorpusSentence& sentence : *figures_.sentences) {
    words += int(sentence.words.generated.size());
    gold = gold || !sentence.heads.empty();
  }
  QString classes = tr("classes by word list (%1)").arg(qs(recordings_->targetLanguage));
  if (!hasWordList(recordings_->targetLanguage))
    classes = tr("no word list for this language: function words count as content words");
  if (gold) classes = tr("gold classes");
  note_->setText(
      tr("%1 sentences, %2 whole words, %3")
          .arg(countText(qint64(figures_.sentences->size())), countText(words), classes));
}

void HistoryCorpusView::drawShares() {
  if (!figures_.sentences) return;  // nothing has been drawn yet
  const auto measure = ShareMeasure(measure_->currentData().toInt());
  const CorpusShares shares = corpusShares(*figures_.sentences, measure);
  QStringList positions, classes;
  QVector<CategorySeries> byPosition, byClass;
  std::size_t longest = 0;
  std::vector<int> counts(kWordClasses.size());
  for (std::size_t i = 0; i < shares.layers.size(); ++i) {
    const auto& atPosition = shares.byPosition[i];
    const auto& atClass = shares.byClass[i];
    longest = std::max(longest, atPosition.size());
    for (std::size_t c = 0; c < counts.size(); ++c)
      counts[c] = std::max(counts[c], atClass[c].count);
    byPosition << CategorySeries{layerName(shares.layers[i]), meansOf(atPosition),
                                 CategorySeries::Kind::kLine};
    byClass << CategorySeries{layerName(shares.layers[i]), meansOf(atClass),
                              CategorySeries::Kind::kBars};
  }
  for (std::size_t i = 1; i <= longest; ++i) positions << QString::number(i);
  for (std::size_t c = 0; c < counts.size() && !byClass.isEmpty(); ++c)
    classes << QStringLiteral("%1\n%2").arg(qs(nameOf(kWordClasses[c])), countText(counts[c]));
  byPosition_->setContent(positions, byPosition);
  byClass_->setContent(classes, byClass);
}

void HistoryCorpusView::drawDistances() {
  const Distances& distances = figures_.distances;
  const QString which = layer_ < 0 ? tr("mean of the layers") : layerName(layer_);
  distances_->setTitle(tr("Distance looked back, %1").arg(which));
  QStringList bins{tr("start")};
  std::vector<double> weight{distances.start}, strongest{std::nan("")};
  for (int back = 0; back <= kLongestDistance; ++back) {
    const double share = distances.weight[std::size_t(back)];
    if (back == 0 && share <= 0) continue;  // no word consists of several subwords
    bins << (back < kLongestDistance ? QString::number(back) : QStringLiteral("%1+").arg(back));
    weight.push_back(share);
    strongest.push_back(distances.strongest[std::size_t(back)]);
  }
  distances_->setContent(
      bins, {{tr("attention weight"), weight, CategorySeries::Kind::kBars},
             {tr("most attended earlier word"), strongest, CategorySeries::Kind::kBars}});
}

void HistoryCorpusView::drawGold() {
  const GoldHits& mean = figures_.gold;
  const auto layers = int(figures_.goldOfLayers.size());
  gold_->setVisible(mean.words > 0);
  if (mean.words == 0) return;
  QStringList bins;
  std::vector<double> hits, previous, chance;
  const auto add = [&](const QString& name, const GoldHits& found) {
    bins << name;
    hits.push_back(found.share(found.hits));
    previous.push_back(found.share(found.previous));
    chance.push_back(found.share(found.chance));
  };
  for (int index = 0; index < layers; ++index)
    add(layerName(index), figures_.goldOfLayers[std::size_t(index)]);
  if (layers > 1) add(tr("mean of the layers"), mean);
  QString title = tr("Arcs that hit the gold head: %1 of %2 words with their head before them")
                      .arg(percent(mean.share(mean.hits)), countText(mean.words));
  if (layers > 1) title += tr(", mean of the layers");
  gold_->setTitle(title);
  gold_->setContent(bins,
                    {{tr("most attended earlier word"), hits, CategorySeries::Kind::kBars},
                     {tr("always the previous word"), previous, CategorySeries::Kind::kReference},
                     {tr("chance"), chance, CategorySeries::Kind::kReference}});
}

QStringList HistoryCorpusView::exportedParts() const {
  QStringList parts{QStringLiteral("position"), QStringLiteral("class"),
                    QStringLiteral("distance")};
  if (!gold_->isHidden()) parts << QStringLiteral("gold");
  return parts;
}

void HistoryCorpusView::exportTo(const QString& path) {
  byPosition_->exportTo(siblingPath(path, QStringLiteral("position")));
  byClass_->exportTo(siblingPath(path, QStringLiteral("class")));
  distances_->exportTo(siblingPath(path, QStringLiteral("distance")));
  if (!gold_->isHidden()) gold_->exportTo(siblingPath(path, QStringLiteral("gold")));
}

}  // namespace strata::ui
