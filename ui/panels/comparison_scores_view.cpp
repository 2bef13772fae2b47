#include <QComboBox>
#include <QLabel>
#include <QRegularExpression>
#include <QScrollArea>
#include <QVBoxLayout>
#include <cmath>

#include "core/report/comparison_tables.h"
#include "ui/data/text.h"
#include "ui/panels/comparison_views.h"
#include "ui/plots/category_plot.h"
#include "ui/plots/interval_plot.h"
#include "ui/plots/picture_export.h"
#include "ui/widgets/building.h"
#include "ui/widgets/chart_grid.h"
#include "ui/widgets/report_table.h"

namespace strata::ui {
namespace {

// A metric's name as a part of a file name: a model may have a slash.
QString fileName(const std::string& metric) {
  static const QRegularExpression others(QStringLiteral("[^a-z0-9+._-]+"));
  return qs(metric).toLower().replace(others, QStringLiteral("-"));
}

IntervalRow rowOf(const Comparison& comparison, const MetricComparison& compared, std::size_t s) {
  const SystemScore& system = compared.systems[s];
  IntervalRow row;
  row.name = qs(comparison.systems[s].name);
  row.value = system.score;
  if (system.interval) {
    row.low = system.interval->mean - system.interval->halfWidth;
    row.high = system.interval->mean + system.interval->halfWidth;
  }
  if (s == comparison.baseline) {
    row.verdict = IntervalRow::Verdict::kBaseline;
    return row;
  }
  row.difference = system.difference;
  if (!system.test) return row;
  row.differenceLow = system.test->low;
  row.differenceHigh = system.test->high;
  row.p = system.test->pValue;
  if (compared.systems.size() > 2) row.pHolm = system.test->pHolm;
  if (const CellMark mark = significanceMark(compared, system); mark != CellMark::kNone)
    row.verdict =
        mark == CellMark::kBetter ? IntervalRow::Verdict::kBetter : IntervalRow::Verdict::kWorse;
  return row;
}

// Runs of one system: the mean, with one standard deviation on each side.
IntervalRow rowOf(const MetricComparison& compared, const SystemGroup& group, std::size_t metric) {
  const GroupScore& score = group.scores[metric];
  IntervalRow row;
  row.name = qs(group.name);
  row.value = score.mean;
  if (score.deviation) {
    row.low = score.mean - *score.deviation;
    row.high = score.mean + *score.deviation;
  }
  if (!score.test) {
    row.verdict = IntervalRow::Verdict::kBaseline;
    return row;
  }
  row.difference = score.test->difference;
  row.differenceLow = score.test->low;
  row.differenceHigh = score.test->high;
  row.p = score.test->pValue;
  row.pHolm = score.pHolm;
  if (score.direction == Direction::kConfirmed || score.direction == Direction::kOpposite)
    row.verdict = compared.improves(row.difference) ? IntervalRow::Verdict::kBetter
                                                    : IntervalRow::Verdict::kWorse;
  return row;
}

}  // namespace

ScoresView::ScoresView(QWidget* parent) : ComparisonView(QStringLiteral("scoresView"), parent) {
  auto* scroll = named(makeScrollArea(this), "scoresScroll");
  auto* page = styled(new QWidget(scroll), "panel");
  auto* column = makeLayout<QVBoxLayout>(page, {8, 0, 8, 8}, kUsualSpacing);
  gridColumn_ = new QVBoxLayout;
  column->addLayout(gridColumn_);
  tableColumn_ = new QVBoxLayout;
  tableColumn_->setSpacing(2);
  column->addLayout(tableColumn_);
  notes_ = named(styled(new QLabel(page), "muted"), "comparisonNotes");
  notes_->setWordWrap(true);
  notes_->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
  notes_->setContentsMargins(8, 8, 8, 4);
  column->addStretch();
  scroll->setWidget(page);
  setUp({tr("No scores yet"), tr("Choose systems of one test set on the left."),
         tr("Export the score charts…")},
        scroll);
  system_ = addChoice(tr("Sentences of"), QStringLiteral("differenceSystem"));
  connect(system_, &QComboBox::currentIndexChanged, this, &ScoresView::drawHistogram);
}

void ScoresView::draw() {
  fillSystems(system_, /*withBaseline=*/false);
  drawPlots();
  drawHistogram();
  drawTables();
}

// One plot per metric, one over the seeds of the runs if there are several, and the histogram.
void ScoresView::makePlots(int metrics, bool seeds) {
  delete grid_;
  plots_.clear();
  seeds_ = nullptr;
  grid_ = new ChartGrid(this);
  grid_->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
  const auto added = [this](auto* plot, const QString& name) {
    grid_->add(plot);
    return named(plot, name);
  };
  for (int i = 0; i < metrics; ++i)
    plots_ << added(new IntervalPlot(grid_), QStringLiteral("scores%1").arg(i));
  if (seeds) seeds_ = added(new IntervalPlot(grid_), QStringLiteral("seeds"));
  histogram_ = added(new CategoryPlot(grid_), QStringLiteral("differenceHistogram"));
  histogram_->setUnitScale(false);
  histogram_->setOneBar(true);
  gridColumn_->addWidget(grid_);
}

void ScoresView::drawPlots() {
  const Comparison& all = *comparison();
  const bool seeds = !all.groups.empty();
  if (std::size_t(plots_.size()) != all.metrics.size() || seeds != (seeds_ != nullptr))
    makePlots(int(all.metrics.size()), seeds);
  for (int i = 0; i < plots_.size(); ++i) {
    const MetricComparison& compared = all.metrics[std::size_t(i)];
    const QString name = qs(compared.metric->name());
    plots_[i]->setAxisTitle(name);
    plots_[i]->setDigits(scoreDigits(*compared.metric));
    plots_[i]->setTitle(compared.metric->higherIsBetter() ? name
                                                          : tr("%1: lower is better").arg(name));
    QVector<IntervalRow> rows;
    for (std::size_t s = 0; s < all.systems.size(); ++s) rows << rowOf(all, compared, s);
    plots_[i]->setRows(rows);
  }
  if (seeds) drawSeeds();
}

void ScoresView::drawSeeds() {
  const Comparison& all = *comparison();
  const QString name = qs(all.first().metric->name());
  seeds_->setTitle(tr("%1 over seeds: mean and standard deviation").arg(name));
  seeds_->setAxisTitle(name);
  seeds_->setDigits(scoreDigits(*all.first().metric));
  QVector<IntervalRow> rows;
  for (const SystemGroup& group : all.groups) rows << rowOf(all.first(), group, 0);
  seeds_->setRows(rows);
}

void ScoresView::drawHistogram() {
  if (!histogram_) return;
  histogram_->setVisible(system_->currentIndex() >= 0);  // not of a system alone
  if (system_->currentIndex() < 0) return;
  const Comparison& all = *comparison();
  const auto system = std::size_t(system_->currentData().toInt());
  const DifferenceHistogram found = all.differenceHistogram(system);
  const QString metric = qs(all.first().metric->name());
  histogram_->setTitle(tr("Sentences of %1: %2 better, %3 equal, %4 worse")
                           .arg(qs(all.systems[system].name), countText(qint64(found.better)),
                                countText(qint64(found.equal)), countText(qint64(found.worse))));
  histogram_->setAxisTitles(tr("difference of %1 from the baseline").arg(metric), tr("sentences"));
  const int bins = int(found.counts.size());
  const int decimals = found.width >= 2 ? 0 : found.width >= 0.2 ? 1 : found.width >= 0.02 ? 2 : 4;
  QStringList labels;
  std::vector<double> better(found.counts.size(), std::nan("")), around = better, worse = better;
  for (int i = 0; i < bins; ++i) {
    const int place = i - (bins - 1) / 2;
    const double middle = place * found.width;
    labels << (place > 0 ? QStringLiteral("+") : QString()) +
                  QString::number(middle, 'f', decimals);
    auto& side = place == 0 ? around : all.first().improves(middle) ? better : worse;
    side[std::size_t(i)] = double(found.counts[std::size_t(i)]);
  }
  using Kind = CategorySeries::Kind;
  histogram_->setContent(labels,
                         {{tr("better"), better, Kind::kBars, {}, {}, 0},
                          {tr("within %1 points").arg(found.width / 2, 0, 'f', decimals + 1),
                           around,
                           Kind::kBars,
                           {},
                           {},
                           7},
                          {tr("worse"), worse, Kind::kBars, {}, {}, 1}});
}

void ScoresView::drawTables() {
  const Comparison& all = *comparison();
  std::vector<Table> tables;
  if (all.metrics.size() > 1) {
    tables.push_back(overviewTable(all));
    tables.back().caption = toStd(tr("Scores"));
  }
  for (std::size_t m = 0; m < all.metrics.size(); ++m) tables.push_back(scoreTable(all, m));
  QStringList notes = qs(comparisonNotes(all));
  for (const NotedTable& noted : analysisTables(all)) {
    tables.insert(tables.end(), noted.tables.begin(), noted.tables.end());
    notes << qs(noted.title) + QStringLiteral(": ") + qs(noted.note);
  }
  const std::size_t tests = tables.size();
  if (!all.statistics.empty()) tables.push_back(statisticsTable(all));
  if (!all.first().oracle.chosen.empty() && all.systems.size() > 1)
    tables.push_back(oracleTable(all));
  fillTables(tables);
  const std::size_t first = all.metrics.size() > 1 ? 1 : 0;  // after the overview
  for (std::size_t m = 0; m < all.metrics.size(); ++m) {
    tables_[qsizetype(first + m)].table->setTips(
        [comparison = comparison(), m](const QString& title) {
          return qs(scoreColumnNote(*comparison, m, toStd(title)));
        });
  }
  notes_->setText(notes.join(QStringLiteral("\n")));
  notes_->setVisible(!notes.isEmpty());
  tableColumn_->insertWidget(2 * int(tests), notes_);
}

void ScoresView::fillTables(const std::vector<Table>& tables) {
  tableColumn_->removeWidget(notes_);
  while (std::size_t(tables_.size()) < tables.size()) {
    auto* title = styled(new QLabel(this), "heading");
    title->setWordWrap(true);
    title->setContentsMargins(8, 12, 8, 2);
    auto* table = named(new ReportTable(this), QStringLiteral("scoresTable%1").arg(tables_.size()),
                        tr("Scores"));
    table->setWholeHeight(true);
    title->setBuddy(table);
    tableColumn_->addWidget(title);
    tableColumn_->addWidget(table);
    tables_ << TitledTable{title, table};
  }
  for (int i = 0; i < tables_.size(); ++i) {
    const bool used = std::size_t(i) < tables.size();
    tables_[i].title->setVisible(used);
    tables_[i].table->setVisible(used);
    if (!used) continue;
    tables_[i].title->setText(qs(tables[std::size_t(i)].caption));
    tables_[i].table->setTips({});
    tables_[i].table->setTable(tables[std::size_t(i)]);
  }
}

QStringList ScoresView::exportedParts() const {
  QStringList parts;
  if (!comparison()) return parts;
  for (const MetricComparison& compared : comparison()->metrics)
    parts << qs(compared.metric->name()).toLower();
  if (seeds_ != nullptr) parts << QStringLiteral("seeds");
  return parts << QStringLiteral("differences");
}

void ScoresView::write(const QString& path) {
  for (std::size_t m = 0; m < comparison()->metrics.size(); ++m)
    plots_[qsizetype(m)]->exportTo(
        siblingPath(path, fileName(comparison()->metrics[m].metric->name())));
  if (seeds_ != nullptr) seeds_->exportTo(siblingPath(path, QStringLiteral("seeds")));
  if (comparison()->systems.size() > 1)
    histogram_->exportTo(siblingPath(path, QStringLiteral("differences")));
}

}  // namespace strata::ui
