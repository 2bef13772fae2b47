#include "ui/panels/curve_lists.h"

#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QSignalBlocker>
#include <QVBoxLayout>
#include <algorithm>
#include <functional>
#include <iterator>
#include <utility>

#include "ui/data/saved_state.h"
#include "ui/data/text.h"
#include "ui/plots/plot_style.h"
#include "ui/widgets/building.h"

namespace strata::ui {
namespace {
constexpr int kRunRole = Qt::UserRole;
constexpr int kDefaultSeries = 4;

// The most informative series of a run, most important first.
const QStringList& interesting() {
  static const QStringList names{
      QStringLiteral("train/nll"),         QStringLiteral("valid/nll"),
      QStringLiteral("valid/multi-bleu"),  QStringLiteral("lr"),
      QStringLiteral("train/token-error"), QStringLiteral("train/tokens_per_second")};
  return names;
}

qint64 runOf(const QListWidgetItem* item) {
  return item->data(kRunRole).toLongLong();
}

void setChecked(QListWidget* list, const std::function<bool(const QListWidgetItem*)>& on) {
  const QSignalBlocker blocker(list);
  for (int i = 0; i < list->count(); ++i)
    list->item(i)->setCheckState(on(list->item(i)) ? Qt::Checked : Qt::Unchecked);
}
}  // namespace

void sortSeries(QStringList& names) {
  std::sort(names.begin(), names.end(), [](const QString& a, const QString& b) {
    const auto rank = [](const QString& name) {
      const auto at = interesting().indexOf(name);
      return std::pair(at < 0 ? interesting().size() : at, name);
    };
    return rank(a) < rank(b);
  });
}

CurveLists::CurveLists(QWidget* parent)
    : QWidget(parent), filter_(named(new QLineEdit(this), "seriesFilter", tr("Series filter"))) {
  auto* layout = makeLayout<QVBoxLayout>(this, {8, 8, 4, 4}, 4);
  runs_ = addList(tr("Runs"), QStringLiteral("curveRuns"));
  series_ = addList(tr("Series"), QStringLiteral("curveSeries"));
  layout->setStretchFactor(runs_, 2);
  layout->setStretchFactor(series_, 3);
  filter_->setPlaceholderText(tr("Filter series"));
  filter_->setClearButtonEnabled(true);
  layout->insertWidget(layout->indexOf(series_), filter_);
  connect(filter_, &QLineEdit::textChanged, this, &CurveLists::filter);
  connect(runs_, &QListWidget::itemChanged, this, [this] {
    refresh();
    emit runsTicked(runs());
  });
  connect(series_, &QListWidget::itemChanged, this, [this](const QListWidgetItem* item) {
    seriesChosen_ = true;
    restoredSeries_.removeAll(item->text());
    refresh();
  });
}

QListWidget* CurveLists::addList(const QString& title, const QString& name) {
  auto* heading = styled(new QLabel(title, this), "heading");
  layout()->addWidget(heading);
  auto* list = named(new QListWidget(this), name);
  list->setSelectionMode(QAbstractItemView::NoSelection);
  list->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  list->setTextElideMode(Qt::ElideMiddle);
  list->setIconSize(QSize(16, 16));
  list->setFocusPolicy(Qt::TabFocus);
  layout()->addWidget(list);
  return list;
}

// The runs of the last session; without one, the newest that has data.
QSet<qint64> CurveLists::firstTicks(const QVector<RunRow>& shown) {
  const QVector<qint64> restored = std::exchange(restoredRuns_, {});
  QSet<qint64> ticks;
  for (const RunRow& run : shown) {
    if (restored.contains(run.id)) ticks << run.id;
  }
  if (!ticks.isEmpty()) return ticks;
  const auto newest =
      std::find_if(shown.begin(), shown.end(), [](const RunRow& run) { return !run.waits(); });
  if (newest != shown.end()) ticks << newest->id;
  return ticks;
}

void CurveLists::setRuns(const QVector<RunRow>& all) {
  const QVector<RunRow> shown = newestFirst(all);
  QSet<qint64> running;
  for (const RunRow& run : shown) {
    if (run.isRunning()) running << run.id;
  }
  const QSet<qint64> started = running - std::exchange(running_, running);
  bool same = runs_->count() == shown.size() && started.isEmpty();
  for (const RunRow& run : shown) same = same && labels_.value(run.id) == run.name;
  if (same) return;
  const QVector<qint64> before = runs();
  QSet<qint64> ticks(before.begin(), before.end());
  if (runs_->count() == 0) ticks = firstTicks(shown);
  ticks += started;
  {
    const QSignalBlocker blocker(runs_);
    runs_->clear();
    labels_.clear();
    for (const RunRow& run : shown) {
      auto* item = new QListWidgetItem(run.name, runs_);
      item->setData(kRunRole, run.id);
      item->setToolTip(run.name);
      item->setCheckState(ticks.contains(run.id) ? Qt::Checked : Qt::Unchecked);
      labels_.insert(run.id, run.name);
    }
  }
  refresh();
}

void CurveLists::setSeriesNames(qint64 run, const QStringList& names) {
  if (names_.contains(run) && names_[run] == names) return;
  names_[run] = names;
  if (runs().contains(run)) refresh();
}

void CurveLists::refresh() {
  refreshSeries();
  giveColours();
  refreshColours();
  emit changed();
}

// The list holds the series of the ticked runs.
void CurveLists::refreshSeries() {
  const QStringList all = names();
  QStringList present;
  for (int i = 0; i < series_->count(); ++i) present << series_->item(i)->text();
  if (all == present) return;
  const QStringList ticked = series() + restoredSeries_;
  {
    const QSignalBlocker blocker(series_);
    series_->clear();
    for (const QString& name : all) {
      auto* item = new QListWidgetItem(name, series_);
      item->setToolTip(name);
      item->setCheckState(ticked.contains(name) ? Qt::Checked : Qt::Unchecked);
    }
  }
  filter();
  tickDefaults();
}

void CurveLists::tickDefaults() {
  if (seriesChosen_) return;
  QStringList wanted;
  for (const QString& name : interesting()) {
    if (!series_->findItems(name, Qt::MatchExactly).isEmpty() && wanted.size() < kDefaultSeries)
      wanted << name;
  }
  if (wanted.isEmpty() && series_->count() > 0) wanted << series_->item(0)->text();
  setChecked(series_, [&](const QListWidgetItem* item) { return wanted.contains(item->text()); });
}

void CurveLists::tickRuns(const QVector<qint64>& runs) {
  setChecked(runs_, [&](const QListWidgetItem* item) { return runs.contains(runOf(item)); });
  refresh();
}

void CurveLists::tickSeries(const QStringList& names) {
  seriesChosen_ = true;
  restoredSeries_.clear();
  setChecked(series_, [&](const QListWidgetItem* item) { return names.contains(item->text()); });
  refresh();
}

bool CurveLists::isEmpty() const {
  return runs_->count() == 0;
}

QVector<qint64> CurveLists::runs() const {
  QVector<qint64> ids;
  for (int i = 0; i < runs_->count(); ++i) {
    if (runs_->item(i)->checkState() == Qt::Checked) ids << runOf(runs_->item(i));
  }
  return ids;
}

QStringList CurveLists::series() const {
  QStringList names;
  for (int i = 0; i < series_->count(); ++i) {
    if (series_->item(i)->checkState() == Qt::Checked) names << series_->item(i)->text();
  }
  return names;
}

QStringList CurveLists::names() const {
  QStringList all;
  for (const qint64 run : runs()) all += names_.value(run);
  all.removeDuplicates();
  all.sort();
  return all;
}

QVector<SeriesKey> CurveLists::keys() const {
  const QStringList ticked = series();
  QVector<SeriesKey> keys;
  for (const qint64 run : runs()) {
    for (const QString& name : ticked) {
      if (names_.value(run).contains(name)) keys.push_back({run, name});
    }
  }
  return keys;
}

int CurveLists::line(qint64 run) const {
  return int(coloured_.indexOf(run));
}

// A run keeps the colour that it got when it was first drawn; the oldest gets the first.
void CurveLists::giveColours() {
  const QVector<qint64> ticked = runs();
  std::copy_if(ticked.rbegin(), ticked.rend(), std::back_inserter(coloured_),
               [this](qint64 run) { return !coloured_.contains(run); });
}

void CurveLists::refreshColours() {
  const QSignalBlocker blocker(runs_);
  for (int i = 0; i < runs_->count(); ++i) {
    QListWidgetItem* item = runs_->item(i);
    const bool on = item->checkState() == Qt::Checked;
    item->setIcon(on ? lineIcon(line(runOf(item))) : emptyLineIcon());
  }
}

void CurveLists::filter() {
  for (int i = 0; i < series_->count(); ++i) {
    QListWidgetItem* item = series_->item(i);
    item->setHidden(!item->text().contains(filter_->text(), Qt::CaseInsensitive) &&
                    item->checkState() != Qt::Checked);
  }
}

Json CurveLists::saveState() const {
  Json state{{"runs", jsonOf(isEmpty() ? restoredRuns_ : runs())},
             {"filter", toStd(filter_->text())},
             {"coloured", jsonOf(coloured_)}};
  if (seriesChosen_) {
    QStringList names = series() + restoredSeries_;
    names.removeDuplicates();
    state["series"] = jsonOf(names);
  }
  return state;
}

void CurveLists::restoreState(const Json& state) {
  const SavedState saved(state);
  saved.line("filter", filter_);
  if (const auto runs = saved.numbers("coloured")) coloured_ = *runs;
  restoredRuns_ = saved.numbers("runs").value_or(QVector<qint64>());
  if (const auto names = saved.texts("series")) {
    seriesChosen_ = true;
    restoredSeries_ = *names;
  }
}

}  // namespace strata::ui
