#include "ui/panels/curves_panel.h"

#include <qcustomplot.h>

#include <QAction>
#include <QComboBox>
#include <QGridLayout>
#include <QLineEdit>
#include <QListWidget>
#include <QScrollArea>
#include <QSignalBlocker>
#include <QSlider>
#include <algorithm>
#include <utility>

#include "ui/plots/curve_plot.h"
#include "ui/plots/picture_export.h"
#include "ui/style/theme.h"
#include "ui/widgets/empty_state.h"
#include "ui/widgets/export_dialog.h"

namespace strata::ui {
namespace {
constexpr int kRunRole = Qt::UserRole;
constexpr int kTwoColumnsWidth = 620, kChartHeight = 180;

// The most informative series of a run, most important first.
const QStringList& interesting() {
  static const QStringList names{
      QStringLiteral("train/nll"),         QStringLiteral("valid/nll"),
      QStringLiteral("valid/multi-bleu"),  QStringLiteral("lr"),
      QStringLiteral("train/token-error"), QStringLiteral("train/tokens_per_second")};
  return names;
}

QIcon swatch(const QColor& colour) {
  QPixmap picture(32, 32);
  picture.setDevicePixelRatio(2);
  picture.fill(Qt::transparent);
  QPainter painter(&picture);
  painter.setRenderHint(QPainter::Antialiasing);
  painter.setPen(QPen(colour, 3, Qt::SolidLine, Qt::RoundCap));
  painter.drawLine(QPointF(2, 8), QPointF(14, 8));
  return QIcon(picture);
}

void setChecked(QListWidget* list, const std::function<bool(const QListWidgetItem*)>& on) {
  const QSignalBlocker blocker(list);
  for (int i = 0; i < list->count(); ++i)
    list->item(i)->setCheckState(on(list->item(i)) ? Qt::Checked : Qt::Unchecked);
}
}  // namespace

void CurvesPanel::setRuns(const QVector<RunRow>& runs) {
  QVector<RunRow> shown;
  std::copy_if(runs.begin(), runs.end(), std::back_inserter(shown),
               [](const RunRow& r) { return !r.trashed; });
  std::sort(shown.begin(), shown.end(),
            [](const RunRow& a, const RunRow& b) { return a.id > b.id; });
  const QVector<qint64> before = tickedRuns();
  QSet<qint64> known;
  for (int i = 0; i < runList_->count(); ++i)
    known << runList_->item(i)->data(kRunRole).toLongLong();
  QSet<qint64> running;
  for (const RunRow& run : shown) {
    if (run.isRunning()) running << run.id;
  }
  const QSet<qint64> started = running - std::exchange(running_, running);
  // Initially: the training runs and the newest run that has data.
  const auto newest =
      std::find_if(shown.begin(), shown.end(), [](const RunRow& run) { return !run.waits(); });
  bool changed = known.size() != shown.size() || !started.isEmpty();
  for (const RunRow& run : shown) changed = changed || labels_.value(run.id) != run.name;
  if (!changed) return;
  {
    const QSignalBlocker blocker(runList_);
    runList_->clear();
    labels_.clear();
    for (const RunRow& run : shown) {
      auto* item = new QListWidgetItem(run.name, runList_);
      item->setData(kRunRole, run.id);
      item->setToolTip(run.name);
      const bool first = known.isEmpty() && newest != shown.end() && run.id == newest->id;
      const bool ticked = first || before.contains(run.id) || started.contains(run.id);
      item->setCheckState(ticked ? Qt::Checked : Qt::Unchecked);
      labels_.insert(run.id, run.name);
    }
  }
  stack_->setEmpty(shown.isEmpty());
  updateSelection();
}

void CurvesPanel::setSeriesNames(qint64 run, const QStringList& names) {
  if (names_.contains(run) && names_[run] == names) return;
  names_[run] = names;
  if (tickedRuns().contains(run)) updateSelection();
}

// The list holds the series of the ticked runs.
void CurvesPanel::refreshSeriesList() {
  QStringList all;
  for (const qint64 run : tickedRuns()) all += names_.value(run);
  all.removeDuplicates();
  all.sort();
  QStringList present;
  for (int i = 0; i < seriesList_->count(); ++i) present << seriesList_->item(i)->text();
  if (all == present) return;
  const QStringList ticked = tickedSeries();
  {
    const QSignalBlocker blocker(seriesList_);
    seriesList_->clear();
    for (const QString& name : all) {
      auto* item = new QListWidgetItem(name, seriesList_);
      item->setToolTip(name);
      item->setCheckState(ticked.contains(name) ? Qt::Checked : Qt::Unchecked);
    }
  }
  filterSeries(seriesFilter_->text());
  tickDefaults();
}

void CurvesPanel::tickDefaults() {
  if (seriesChosen_) return;
  QStringList wanted;
  for (const QString& name : interesting()) {
    if (!seriesList_->findItems(name, Qt::MatchExactly).isEmpty() && wanted.size() < 4)
      wanted << name;
  }
  if (wanted.isEmpty() && seriesList_->count() > 0) wanted << seriesList_->item(0)->text();
  setChecked(seriesList_,
             [&](const QListWidgetItem* item) { return wanted.contains(item->text()); });
}

void CurvesPanel::showRuns(const QVector<qint64>& runs) {
  setChecked(runList_, [&](const QListWidgetItem* item) {
    return runs.contains(item->data(kRunRole).toLongLong());
  });
  updateSelection();
}

void CurvesPanel::showSeries(const QStringList& names) {
  seriesChosen_ = true;
  setChecked(seriesList_,
             [&](const QListWidgetItem* item) { return names.contains(item->text()); });
  updateSelection();
}

QVector<qint64> CurvesPanel::tickedRuns() const {
  QVector<qint64> ids;
  for (int i = 0; i < runList_->count(); ++i) {
    if (runList_->item(i)->checkState() == Qt::Checked)
      ids << runList_->item(i)->data(kRunRole).toLongLong();
  }
  return ids;
}

QStringList CurvesPanel::tickedSeries() const {
  QStringList names;
  for (int i = 0; i < seriesList_->count(); ++i) {
    if (seriesList_->item(i)->checkState() == Qt::Checked) names << seriesList_->item(i)->text();
  }
  return names;
}

void CurvesPanel::updateSelection() {
  refreshSeriesList();
  QSet<SeriesKey> wanted;
  for (const qint64 run : tickedRuns()) {
    for (const QString& name : tickedSeries()) {
      if (names_.value(run).contains(name)) wanted.insert({run, name});
    }
    wanted.insert({run, QString()});  // requests the names; a run's series arrive one after another
  }
  for (auto it = data_.begin(); it != data_.end();)
    it = wanted.contains(it.key()) ? std::next(it) : data_.erase(it);
  arrived_.intersect(wanted);
  const bool changed = wanted != watched_;
  watched_ = wanted;
  refreshColours();
  rebuildCharts();
  if (changed) emit watchChanged(QVector<SeriesKey>(watched_.begin(), watched_.end()));
}

QColor CurvesPanel::colourOf(qint64 run) const {
  const QVector<qint64> ticked = tickedRuns();
  // Colours are assigned in order of creation, so that a new run does not change the colours of
  // older ones.
  return seriesColour(int(ticked.size() - 1 - ticked.indexOf(run)));
}

void CurvesPanel::refreshColours() {
  const QSignalBlocker blocker(runList_);
  for (int i = 0; i < runList_->count(); ++i) {
    QListWidgetItem* item = runList_->item(i);
    const bool on = item->checkState() == Qt::Checked;
    item->setIcon(swatch(on ? colourOf(item->data(kRunRole).toLongLong()) : QColor(0, 0, 0, 0)));
  }
}

CurvePlot* CurvesPanel::makeChart(const QString& name) {
  auto* chart = new CurvePlot(scroll_->widget());
  chart->setObjectName(QStringLiteral("chart:") + name);
  chart->setTitle(name);
  chart->setMinimumHeight(kChartHeight);
  if (xAxis_->currentIndex() != 0) chart->setXAxis(CurvePlot::XAxis(xAxis_->currentIndex()));
  if (logX_->isChecked()) chart->setLogarithmicX(true);
  if (logY_->isChecked()) chart->setLogarithmicY(true);
  connect(chart, &CurvePlot::xRangeChanged, this,
          [this, chart](double lower, double upper, bool fitted) {
            for (CurvePlot* other : charts()) {
              if (other == chart) continue;
              if (fitted) {
                other->fit();
              } else {
                other->setXRange(lower, upper);
              }
            }
          });
  return chart;
}

void CurvesPanel::rebuildCharts() {
  const QStringList wanted = tickedSeries();
  for (auto it = charts_.begin(); it != charts_.end();) {
    if (wanted.contains(it.key())) {
      ++it;
      continue;
    }
    delete it.value();
    it = charts_.erase(it);
  }
  for (const QString& name : wanted) {
    if (!charts_.contains(name)) charts_.insert(name, makeChart(name));
    refreshCurves(name);
  }
  layOutCharts();
}

void CurvesPanel::refreshCurves(const QString& name) {
  QVector<CurvePlot::Curve> curves;
  for (const qint64 run : tickedRuns()) {
    const SeriesKey key{run, name};
    if (!watched_.contains(key)) continue;
    auto& series = data_[key];
    if (!series) {
      series = std::make_shared<Series>();
      series->setSmoothing(smoothing_->value() / double(kSmoothingSteps + 1));
    }
    curves.push_back({labels_.value(run), colourOf(run), series});
  }
  charts_[name]->setCurves(curves);
}

void CurvesPanel::layOutCharts() {
  while (QLayoutItem* item = grid_->takeAt(0)) delete item;
  QStringList order = charts_.keys();
  std::sort(order.begin(), order.end(), [](const QString& a, const QString& b) {
    const auto rank = [](const QString& name) {
      const auto at = interesting().indexOf(name);
      return std::pair(at < 0 ? interesting().size() : at, name);
    };
    return rank(a) < rank(b);
  });
  const int columns = order.size() > 1 && scroll_->viewport()->width() >= kTwoColumnsWidth ? 2 : 1;
  for (int i = 0; i < order.size(); ++i) {
    CurvePlot* chart = charts_[order[i]];
    grid_->addWidget(chart, i / columns, i % columns);
    chart->show();
  }
}

void CurvesPanel::addPoints(const QVector<SeriesPoints>& points) {
  QSet<QString> touched;
  for (const SeriesPoints& part : points) {
    if (!watched_.contains(part.key)) continue;  // it has been unticked in the meantime
    auto& series = data_[part.key];
    if (!series) continue;
    if (part.replaces && series->size() > 0) {
      series = std::make_shared<Series>();
      series->setSmoothing(smoothing_->value() / double(kSmoothingSteps + 1));
      series->append(part.points);
      refreshCurves(part.key.name);
    } else {
      series->append(part.points);
    }
    arrived_.insert(part.key);
    touched.insert(part.key.name);
  }
  for (const QString& name : touched) charts_[name]->dataChanged();
}

void CurvesPanel::applySmoothing(int position) {
  const double weight = position / double(kSmoothingSteps + 1);
  for (const auto& series : data_) series->setSmoothing(weight);
  for (CurvePlot* chart : charts()) chart->dataChanged();
}

void CurvesPanel::filterSeries(const QString& pattern) {
  for (int i = 0; i < seriesList_->count(); ++i) {
    QListWidgetItem* item = seriesList_->item(i);
    item->setHidden(!item->text().contains(pattern, Qt::CaseInsensitive) &&
                    item->checkState() != Qt::Checked);
  }
}

void CurvesPanel::exportCharts() {
  const auto write = [this](const QString& path) {
    for (CurvePlot* chart : charts()) {
      // One file per chart: NAME-train-nll.png; a single chart is NAME itself.
      const QString part = QString(chart->title()).replace(QLatin1Char('/'), QLatin1Char('-'));
      chart->exportTo(charts_.size() == 1 ? path : siblingPath(path, part));
    }
  };
  askForExport(this, {tr("Export the charts"), tr("All points"), write,
                      [this](const QString& message) { emit failed(message); }});
}

QVector<CurvePlot*> CurvesPanel::charts() const {
  return {charts_.begin(), charts_.end()};
}
CurvePlot* CurvesPanel::chart(const QString& series) const {
  return charts_.value(series);
}

std::shared_ptr<const Series> CurvesPanel::series(const SeriesKey& key) const {
  return data_.value(key);
}

bool CurvesPanel::isEmpty() const {
  return stack_->isEmpty();
}

bool CurvesPanel::isUpToDate() const {
  if (isEmpty()) return true;
  const QVector<qint64> runs = tickedRuns();
  const bool named =
      std::all_of(runs.begin(), runs.end(), [this](qint64 run) { return names_.contains(run); });
  const bool arrived = std::all_of(watched_.begin(), watched_.end(), [this](const SeriesKey& key) {
    return key.name.isEmpty() || arrived_.contains(key);
  });
  if (!named || !arrived) return false;
  return std::all_of(charts_.begin(), charts_.end(),
                     [](const CurvePlot* c) { return c->isUpToDate(); });
}

void CurvesPanel::changeEvent(QEvent* event) {
  QWidget::changeEvent(event);
  if (event->type() != QEvent::PaletteChange) return;
  refreshColours();
  for (const QString& name : charts_.keys()) refreshCurves(name);
}

bool CurvesPanel::eventFilter(QObject* watched, QEvent* event) {
  if (watched == scroll_->viewport() && event->type() == QEvent::Resize) layOutCharts();
  return QWidget::eventFilter(watched, event);
}

}  // namespace strata::ui
