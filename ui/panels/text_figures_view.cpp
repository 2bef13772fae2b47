#include "ui/panels/text_figures_view.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QTabBar>
#include <QToolButton>
#include <QVBoxLayout>

#include "ui/data/text.h"
#include "ui/plots/category_plot.h"
#include "ui/plots/line_plot.h"
#include "ui/plots/picture_export.h"
#include "ui/widgets/building.h"
#include "ui/widgets/report_table.h"
#include "ui/widgets/tabs.h"

namespace strata::ui {
namespace {

Table pairTable(const std::vector<TextPair>& pairs) {
  Table table{.caption = toStd(TextFiguresView::tr("First pairs"))};
  for (const TextPair& pair : pairs) {
    table.beginRow(toStd(TextFiguresView::tr("source")), pair.source);
    table.addText(toStd(TextFiguresView::tr("target")), pair.target);
  }
  return table;
}

Table rejectedTable(const std::vector<RejectedLine>& lines) {
  Table table{.caption = toStd(TextFiguresView::tr("Rejected lines"))};
  for (const RejectedLine& line : lines) {
    if (line.stops) table.marked.push_back(table.rows.size());
    table.beginRow(toStd(TextFiguresView::tr("reason")), line.reason);
    table.addNumber(toStd(TextFiguresView::tr("line")),
                    line.line > 0 ? Cell::count(line.line) : Cell(std::string(kNoValue)));
    table.addText(toStd(TextFiguresView::tr("file")),
                  line.file.substr(line.file.find_last_of("/:") + 1));
    table.addText(toStd(TextFiguresView::tr("text")), line.text);
  }
  return table;
}

Table outlierTable(const std::vector<RatioOutlier>& outliers) {
  Table table{.caption = toStd(TextFiguresView::tr("Pairs with very different lengths"))};
  for (const RatioOutlier& outlier : outliers) {
    table.beginRow(toStd(TextFiguresView::tr("source")), outlier.source);
    table.addText(toStd(TextFiguresView::tr("target")), outlier.target);
    table.addNumber(toStd(TextFiguresView::tr("ratio")), Cell::number(outlier.ratio));
    table.addNumber(toStd(TextFiguresView::tr("pair")), Cell::count(outlier.number));
  }
  return table;
}

Table sharedTable(const std::vector<SharedSentence>& shared) {
  const auto tr = [](const char* text) { return toStd(TextFiguresView::tr(text)); };
  Table table{.caption = tr("Sentences shared with train")};
  for (const SharedSentence& each : shared) {
    table.beginRow(tr("set"), each.set);
    table.addNumber(tr("sentence"), Cell::count(each.sentence));
    table.addText(tr("the same"), each.source && each.target ? tr("both sides")
                                  : each.source              ? tr("source")
                                                             : tr("target"));
    table.addText(tr("source"), each.setSource);
    table.addText(tr("reference"), each.setReference);
    table.addNumber(tr("pair of train"), Cell::count(each.train.number));
    table.addText(tr("source in train"), each.train.source);
    table.addText(tr("target in train"), each.train.target);
  }
  return table;
}

Table mergeTable(const MergeEffect& effect) {
  const auto tr = [](const char* text) { return toStd(TextFiguresView::tr(text)); };
  Table table{.caption = tr("Numbers of merges")};
  for (const MergeRow& row : effect.rows) {
    table.beginRow(tr("merges"), row.merges == 0 ? Cell(tr("none")) : Cell::count(row.merges));
    for (std::size_t side = 0; side < 2; ++side) {
      const MergeSide& of = row.sides[side];
      const std::string at = side == 0 ? tr("source") + ": " : tr("target") + ": ";
      table.addNumber(at + tr("units"), Cell::count(of.vocabulary));
      table.addNumber(at + tr("per word"), Cell::number(of.unitsPerWord));
      table.addNumber(at + tr("split"), Cell::number(of.split, kShareNumber));
      table.addNumber(at + tr("unknown"), Cell::number(of.unknown, kShareNumber));
    }
    table.addNumber(tr("joint units"), Cell::count(row.joint));
  }
  return table;
}

QString mergeNote(const MergeEffect& effect) {
  const QString pairs = countText(effect.pairs);
  const QString basis =
      effect.isSample() ? TextFiguresView::tr(
                              "Learned from a sample of %1 of %2 pairs: the whole text has more "
                              "different units.")
                              .arg(pairs, countText(effect.of))
                        : TextFiguresView::tr("Learned from all %1 pairs.").arg(pairs);
  return basis + QLatin1Char(' ') +
         TextFiguresView::tr(
             "Split: share of running words with several units. Unknown: share of "
             "valid's running words with a unit that train lacks.");
}

QVector<CategorySeries> lengthSeries(const LengthBins& bins) {
  QVector<CategorySeries> series{{TextFiguresView::tr("source"), {}},
                                 {TextFiguresView::tr("target"), {}}};
  for (const auto& counts : bins.counts) {
    for (int side = 0; side < 2; ++side)
      series[side].values.push_back(double(counts[std::size_t(side)]));
  }
  return series;
}

QVector<PlotLine> growthLines(const TextFigures& figures) {
  QVector<PlotLine> lines{{TextFiguresView::tr("source"), {}}, {TextFiguresView::tr("target"), {}}};
  for (int side = 0; side < 2; ++side) {
    lines[side].points.push_back({0, 0});
    for (const GrowthPoint& point : figures.sides[std::size_t(side)].growth)
      lines[side].points.push_back({double(point.tokens), double(point.types)});
  }
  return lines;
}

QVector<PlotLine> coverageLines(const TextFigures& figures) {
  QVector<PlotLine> lines;
  for (const Coverage& coverage : figures.coverage) {
    PlotLine line{.label = QStringLiteral("%1 %2").arg(
                      qs(coverage.set), coverage.side == 0 ? TextFiguresView::tr("source")
                                                           : TextFiguresView::tr("target")),
                  .points = {},
                  .colour = coverage.side,
                  .dashed = lines.size() >= 2};
    for (const Coverage::Point& point : coverage.points)
      line.points.push_back({double(point.words), point.share});
    lines << line;
  }
  return lines;
}

}  // namespace

TextFiguresView::TextFiguresView(QWidget* parent) : QWidget(parent) {
  auto* pictures = new QWidget(this);
  auto* row = makeLayout<QHBoxLayout>(pictures);
  lengths_ = named(new CategoryPlot(pictures), "dataLengths", tr("Lengths"));
  lengths_->setTitle(tr("Sentence lengths"));
  lengths_->setAxisTitles(tr("words"), tr("sentences"));
  lengths_->setUnitScale(false);
  growth_ = named(new LinePlot(pictures), "dataGrowth", tr("Vocabulary growth"));
  growth_->setTitle(tr("Vocabulary growth"));
  growth_->setAxisTitles(tr("running words"), tr("different words"));
  coverage_ = named(new LinePlot(pictures), "dataCoverage", tr("Coverage"));
  coverage_->setTitle(tr("Known words of valid and test"));
  coverage_->setAxisTitles(tr("most frequent words of train"), tr("share of running words"));
  coverage_->setLogarithmicX(true);
  coverage_->setUnitScale(true);
  for (QWidget* picture : {static_cast<QWidget*>(lengths_), static_cast<QWidget*>(growth_),
                           static_cast<QWidget*>(coverage_)})
    row->addWidget(picture, 1);
  auto* below = new QWidget(this);
  auto* layout = makeLayout<QVBoxLayout>(below);
  auto* bar = makeBar(below);
  sharedLine_ = named(new QLabel(below), "dataSharedLine");
  sharedLine_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  bar->addWidget(sharedLine_);
  showShared_ = named(new QToolButton(below), "dataShowShared", tr("Show the shared sentences"));
  showShared_->setText(tr("Show"));
  bar->addWidget(showShared_);
  bar->addStretch();
  layout->addWidget(bar->parentWidget());
  tabs_ = named(new Tabs(below), "dataTabs", tr("Lists"));
  tabs_->tabBar()->setAccessibleName(tr("Lists"));
  const auto table = [this](const char* name) { return named(new ReportTable(tabs_), name); };
  pairs_ = table("dataPairs");
  rejected_ = table("dataRejected");
  merges_ = table("dataMerges");
  shared_ = table("dataShared");
  outliers_ = table("dataOutliers");
  for (ReportTable* sentences : {pairs_, outliers_}) sentences->setSentences();
  auto* mergePage = new QWidget(tabs_);
  auto* mergeLayout = makeLayout<QVBoxLayout>(mergePage, {0, 4, 0, 0});
  mergesNote_ = styled(named(new QLabel(mergePage), "dataMergesNote"), "muted");
  mergesNote_->setWordWrap(true);
  mergesNote_->setContentsMargins(8, 0, 8, 4);
  mergeLayout->addWidget(mergesNote_);
  mergeLayout->addWidget(merges_, 1);
  tabs_->addTab(pairs_, tr("Pairs"));
  tabs_->addTab(rejected_, tr("Rejected"));
  tabs_->addTab(mergePage, tr("BPE merges"));
  tabs_->addTab(shared_, tr("Shared with test"));
  tabs_->addTab(outliers_, tr("Outliers"));
  layout->addWidget(tabs_, 1);
  makeLayout<QVBoxLayout>(this)->addWidget(
      makeSplitter(Qt::Vertical, this, {{pictures, 210, 1}, {below, 240, 1}}));
  connect(showShared_, &QToolButton::clicked, this, [this] { tabs_->setCurrentWidget(shared_); });
  clear();
}

void TextFiguresView::setTab(ReportTable* table, const QString& title, Table content) {
  table->setTable(std::move(content));
  const int index = tabs_->indexOf(table);
  tabs_->setTabText(index, title);
}

void TextFiguresView::showText(const TextFigures& figures, const std::vector<TextPair>& pairs) {
  QStringList bins;
  for (std::size_t i = 0; i < figures.lengths.counts.size(); ++i)
    bins << qs(figures.lengths.label(i));
  lengths_->setContent(bins, lengthSeries(figures.lengths));
  growth_->setLines(growthLines(figures));
  coverage_->setLines(coverageLines(figures));
  setTab(pairs_, tr("Pairs"), pairTable(pairs));
  setTab(shared_, tr("Shared with test (%1)").arg(countText(figures.sharedPairs)),
         sharedTable(figures.shared));
  setTab(outliers_,
         tr("More than %1 times as long (%2)")
             .arg(figures.outlierRatio)
             .arg(countText(figures.outlierPairs)),
         outlierTable(figures.outliers));
  QStringList shared;
  for (const OverlapCounts& of : figures.overlap) {
    shared << tr("%1: %2 sources, %3 references, %4 whole pairs of %5")
                  .arg(qs(of.set), countText(of.source), countText(of.target), countText(of.pair),
                       countText(of.sentences));
  }
  sharedLine_->setText(shared.isEmpty()
                           ? tr("No evaluation set to compare with the training text.")
                           : tr("Also in train: %1").arg(shared.join(QStringLiteral("  ·  "))));
  showShared_->setVisible(figures.sharedPairs > 0);
}

void TextFiguresView::showPreview(const DatasetPreview& preview) {
  showText(preview.figures, preview.pairs);
  tabs_->setTabVisible(1, true);
  tabs_->setTabVisible(2, !preview.merges.rows.empty());
  setTab(rejected_, tr("Rejected (%1)").arg(countText(preview.rejectedLines)),
         rejectedTable(preview.rejected));
  merges_->setTable(mergeTable(preview.merges));
  mergesNote_->setText(mergeNote(preview.merges));
  if (preview.obstacle()) tabs_->setCurrentWidget(rejected_);
}

void TextFiguresView::showFigures(const DatasetFigures& figures) {
  showText(figures.figures, figures.pairs);
  tabs_->setTabVisible(1, false);
  tabs_->setTabVisible(2, false);
}

void TextFiguresView::clear() {
  lengths_->setContent({}, {});
  growth_->setLines({});
  coverage_->setLines({});
  for (ReportTable* table : {pairs_, rejected_, merges_, shared_, outliers_}) table->setTable({});
  sharedLine_->clear();
  showShared_->hide();
}

void TextFiguresView::addPage(QWidget* page, const QString& title) {
  tabs_->addTab(page, title);
}

void TextFiguresView::exportTo(const QString& path) {
  lengths_->exportTo(siblingPath(path, QStringLiteral("lengths")));
  growth_->exportTo(siblingPath(path, QStringLiteral("growth")));
  coverage_->exportTo(siblingPath(path, QStringLiteral("coverage")));
}

}  // namespace strata::ui
