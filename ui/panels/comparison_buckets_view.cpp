// Scores per bucket of sentences and of words.
#include <QComboBox>
#include <QLabel>
#include <QSplitter>
#include <QVBoxLayout>
#include <cmath>

#include "core/report/comparison_tables.h"
#include "ui/data/text.h"
#include "ui/panels/comparison_views.h"
#include "ui/plots/category_plot.h"
#include "ui/widgets/building.h"
#include "ui/widgets/report_table.h"

namespace strata::ui {
namespace {

// A picture above its table.
QSplitter* above(QWidget* picture, QWidget* table) {
  // The caller takes ownership.
  auto* splitter = makeSplitter(Qt::Vertical, nullptr, {{picture, 420, 3}, {table, 220, 2}});
  splitter->setChildrenCollapsible(false);
  return splitter;
}

double percent(const WordAccuracy& accuracy, int measure) {
  if (accuracy.reference == 0 && accuracy.hypothesis == 0) return std::nan("");
  return 100 * (measure == 0   ? accuracy.f1()
                : measure == 1 ? accuracy.precision()
                               : accuracy.recall());
}

}  // namespace

BucketsView::BucketsView(QWidget* parent) : ComparisonView(QStringLiteral("bucketsView"), parent) {
  plot_ = named(new CategoryPlot, "bucketPlot");
  plot_->setUnitScale(false);
  plot_->setFromZero(false);
  auto* below = new QWidget;
  auto* column = makeLayout<QVBoxLayout>(below, {0, 6, 0, 0}, kUsualSpacing);
  note_ = named(styled(new QLabel(below), "muted"), "bucketNote");
  note_->setWordWrap(true);
  note_->setContentsMargins(8, 0, 8, 0);
  table_ = named(new ReportTable(below), "bucketTable", tr("Scores of the buckets"));
  column->addWidget(note_);
  column->addWidget(table_, 1);
  setUp({tr("No buckets"), tr("Choose systems of one test set on the left."),
         tr("Export this chart…")},
        above(plot_, below));
  choice_ = addChoice(tr("Sentences by"), QStringLiteral("bucketChoice"));
  connect(choice_, &QComboBox::currentIndexChanged, this, &BucketsView::drawBuckets);
}

bool BucketsView::hasContent() const {
  return !comparison()->buckets.empty();
}

void BucketsView::draw() {
  {
    const QSignalBlocker blocker(choice_);
    const QString before = choice_->currentText();
    choice_->clear();
    for (const BucketTable& buckets : comparison()->buckets) choice_->addItem(qs(buckets.title));
    choice_->setCurrentIndex(std::max(0, choice_->findText(before)));
  }
  drawBuckets();
}

void BucketsView::drawBuckets() {
  if (choice_->currentIndex() < 0) return;
  const Comparison& all = *comparison();
  const BucketTable& buckets = all.buckets[std::size_t(choice_->currentIndex())];
  const QString metric = qs(all.first().metric->name());
  QStringList labels;
  for (std::size_t b = 0; b < buckets.labels.size(); ++b) {
    labels << qs(buckets.labels[b]);
    if (buckets.common)
      labels.back() += tr("\n%1 sentences").arg(countText(qint64(buckets.scores.front()[b].count)));
  }
  QVector<CategorySeries> series;
  for (std::size_t s = 0; s < buckets.scores.size(); ++s) {
    CategorySeries drawn{systemName(s), {}, CategorySeries::Kind::kPoints};
    for (const BucketScore& score : buckets.scores[s]) {
      const bool interval = score.count > 0 && score.interval;
      const double none = std::nan("");
      drawn.values.push_back(score.count > 0 ? score.score : none);
      drawn.low.push_back(interval ? score.interval->mean - score.interval->halfWidth : none);
      drawn.high.push_back(interval ? score.interval->mean + score.interval->halfWidth : none);
    }
    series << drawn;
  }
  plot_->setTitle(tr("%1 by %2, with 95 % intervals").arg(metric, qs(buckets.title).toLower()));
  plot_->setAxisTitles(qs(buckets.title), metric);
  plot_->setContent(labels, series);
  note_->setText(qs(buckets.note));
  note_->setVisible(!buckets.note.empty());
  table_->setTable(bucketTable(all, buckets));
}

void BucketsView::write(const QString& path) {
  plot_->exportTo(path);
}

WordsView::WordsView(QWidget* parent) : ComparisonView(QStringLiteral("wordsView"), parent) {
  plot_ = named(new CategoryPlot, "wordPlot");
  plot_->setUnitScale(false);
  table_ = named(new ReportTable, "wordTable", tr("Accuracy of words"));
  setUp({tr("No training counts"),
         tr("Accuracy by training-text frequency needs the training dataset of the systems, which "
            "is not available here."),
         tr("Export this chart…")},
        above(plot_, table_));
  measure_ = addChoice(tr("Measure"), QStringLiteral("wordMeasure"));
  measure_->addItems({tr("F1"), tr("precision"), tr("recall")});
  connect(measure_, &QComboBox::currentIndexChanged, this, &WordsView::drawPlot);
}

bool WordsView::hasContent() const {
  return !comparison()->wordAccuracy.empty();
}

void WordsView::draw() {
  drawPlot();
  table_->setTable(wordAccuracyTable(*comparison()));
}

void WordsView::drawPlot() {
  if (isEmpty()) return;
  const Comparison& all = *comparison();
  QStringList labels;
  for (const WordAccuracy& bucket : all.wordAccuracy.front())
    labels << tr("%1\n%2 words").arg(qs(bucket.label), countText(bucket.reference));
  QVector<CategorySeries> series;
  for (std::size_t s = 0; s < all.wordAccuracy.size(); ++s) {
    CategorySeries drawn{systemName(s), {}, CategorySeries::Kind::kLine};
    for (const WordAccuracy& bucket : all.wordAccuracy[s])
      drawn.values.push_back(percent(bucket, measure_->currentIndex()));
    series << drawn;
  }
  plot_->setTitle(
      tr("%1 of words by frequency in the training text, per cent").arg(measure_->currentText()));
  plot_->setAxisTitles(tr("count in the training text"), measure_->currentText());
  plot_->setContent(labels, series);
}

void WordsView::write(const QString& path) {
  plot_->exportTo(path);
}

}  // namespace strata::ui
