// The "All sentences" tab of TargetAttentionPanel.
#include <QComboBox>
#include <QLabel>
#include <QTabWidget>

#include "ui/data/text.h"
#include "ui/panels/target_attention_panel.h"
#include "ui/plots/category_plot.h"

namespace strata::ui {
namespace {

constexpr int kLongestDistance = 12;

QString layerName(int number) {
  return TargetAttentionPanel::tr("layer %1").arg(number + 1);
}

std::vector<double> meansOf(const std::vector<MeanValue>& values) {
  std::vector<double> means;
  for (const MeanValue& value : values) means.push_back(value.mean());
  return means;
}

QString percent(double share) {
  return TargetAttentionPanel::tr("%1 %").arg(100 * share, 0, 'f', 1);
}

}  // namespace

void TargetAttentionPanel::drawCorpus() {
  if (!corpusMade_) {
    corpus_ = corpusSentences(current_);
    corpusMade_ = true;
  }
  drawShares();
  drawDistances();
  drawGold();
  int words = 0;
  bool gold = false;
  for (const CorpusSentence& sentence : corpus_) {
    words += int(sentence.words.generated.size());
    gold = gold || !sentence.heads.empty();
  }
  QString classes = tr("classes by word list (%1)").arg(qs(current_.targetLanguage));
  if (!hasWordList(current_.targetLanguage))
    classes = tr("no word list for this language: function words count as content words");
  if (gold) classes = tr("gold classes");
  note_->setText(tr("%1 sentences, %2 whole words, %3")
                     .arg(countText(qint64(corpus_.size())), countText(words), classes));
}

void TargetAttentionPanel::drawShares() {
  if (!corpusMade_) return;  // the tab has not been shown yet
  const auto measure = ShareMeasure(measure_->currentData().toInt());
  const CorpusShares shares = corpusShares(corpus_, measure);
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

void TargetAttentionPanel::drawDistances() {
  const int index = layer().index < 0 ? LayerChoice::kMean : layer().index;
  const Distances distances = distancesLookedBack(corpus_, index, kLongestDistance);
  const QString which = index < 0 ? tr("mean of the layers") : layerName(index);
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

void TargetAttentionPanel::drawGold() {
  const GoldHits mean = goldHits(corpus_, LayerChoice::kMean);
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
  int layers = 0;
  for (const CorpusSentence& sentence : corpus_)
    layers = std::max(layers, int(sentence.words.layers.size()));
  for (int index = 0; index < layers; ++index) add(layerName(index), goldHits(corpus_, index));
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

}  // namespace strata::ui
