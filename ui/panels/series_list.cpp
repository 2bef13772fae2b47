#include "ui/panels/series_list.h"

#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QSignalBlocker>
#include <QVBoxLayout>
#include <algorithm>
#include <utility>

#include "ui/data/saved_state.h"
#include "ui/data/text.h"
#include "ui/widgets/building.h"

namespace strata::ui {
namespace {
constexpr int kDefaultSeries = 4;

// The most informative series of a run, most important first.
const QStringList& interesting() {
  static const QStringList names{
      QStringLiteral("train/nll"),         QStringLiteral("valid/nll"),
      QStringLiteral("valid/multi-bleu"),  QStringLiteral("lr"),
      QStringLiteral("train/token-error"), QStringLiteral("train/tokens_per_second")};
  return names;
}

void setTicked(QListWidget* list, const QStringList& names) {
  const QSignalBlocker blocker(list);
  for (int i = 0; i < list->count(); ++i)
    list->item(i)->setCheckState(names.contains(list->item(i)->text()) ? Qt::Checked
                                                                       : Qt::Unchecked);
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

SeriesList::SeriesList(QWidget* parent)
    : QWidget(parent),
      list_(named(new QListWidget(this), "curveSeries", tr("Series"))),
      filter_(named(new QLineEdit(this), "seriesFilter", tr("Series filter"))) {
  auto* layout = makeLayout<QVBoxLayout>(this, {8, 8, 4, 4}, 4);
  layout->addWidget(styled(new QLabel(tr("Series"), this), "heading"));
  filter_->setPlaceholderText(tr("Filter series"));
  filter_->setClearButtonEnabled(true);
  layout->addWidget(filter_);
  list_->setSelectionMode(QAbstractItemView::NoSelection);
  list_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  list_->setTextElideMode(Qt::ElideMiddle);
  list_->setFocusPolicy(Qt::TabFocus);
  layout->addWidget(list_, 1);
  connect(filter_, &QLineEdit::textChanged, this, &SeriesList::filter);
  connect(list_, &QListWidget::itemChanged, this, [this](const QListWidgetItem* item) {
    chosen_ = true;
    restored_.removeAll(item->text());
    emit changed();
  });
}

void SeriesList::setRuns(const QVector<qint64>& runs) {
  runs_ = runs;
  refresh();
}

void SeriesList::setNames(qint64 run, const QStringList& names) {
  if (names_.contains(run) && names_[run] == names) return;
  names_[run] = names;
  if (runs_.contains(run)) refresh();
}

QStringList SeriesList::names() const {
  QStringList all;
  for (const qint64 run : runs_) all += names_.value(run);
  all.removeDuplicates();
  all.sort();
  return all;
}

void SeriesList::refresh() {
  const QStringList all = names();
  QStringList present;
  for (int i = 0; i < list_->count(); ++i) present << list_->item(i)->text();
  if (all != present) {
    const QStringList wanted = ticked() + restored_;
    {
      const QSignalBlocker blocker(list_);
      list_->clear();
      for (const QString& name : all) new QListWidgetItem(name, list_);
      for (int i = 0; i < list_->count(); ++i) list_->item(i)->setToolTip(list_->item(i)->text());
    }
    setTicked(list_, wanted);
    filter();
    tickDefaults();
  }
  emit changed();
}

void SeriesList::tickDefaults() {
  if (chosen_) return;
  QStringList wanted;
  for (const QString& name : interesting()) {
    if (!list_->findItems(name, Qt::MatchExactly).isEmpty() && wanted.size() < kDefaultSeries)
      wanted << name;
  }
  if (wanted.isEmpty() && list_->count() > 0) wanted << list_->item(0)->text();
  setTicked(list_, wanted);
}

void SeriesList::tick(const QStringList& names) {
  chosen_ = true;
  restored_.clear();
  setTicked(list_, names);
  emit changed();
}

QStringList SeriesList::ticked() const {
  QStringList names;
  for (int i = 0; i < list_->count(); ++i) {
    if (list_->item(i)->checkState() == Qt::Checked) names << list_->item(i)->text();
  }
  return names;
}

QVector<SeriesKey> SeriesList::keys() const {
  const QStringList wanted = ticked();
  QVector<SeriesKey> keys;
  for (const qint64 run : runs_) {
    for (const QString& name : wanted) {
      if (names_.value(run).contains(name)) keys.push_back({run, name});
    }
  }
  return keys;
}

void SeriesList::filter() {
  for (int i = 0; i < list_->count(); ++i) {
    QListWidgetItem* item = list_->item(i);
    item->setHidden(!item->text().contains(filter_->text(), Qt::CaseInsensitive) &&
                    item->checkState() != Qt::Checked);
  }
}

Json SeriesList::saveState() const {
  Json state{{"filter", toStd(filter_->text())}};
  if (chosen_) {
    QStringList names = ticked() + restored_;
    names.removeDuplicates();
    state["series"] = jsonOf(names);
  }
  return state;
}

void SeriesList::restoreState(const Json& state) {
  const SavedState saved(state);
  saved.line("filter", filter_);
  if (const auto names = saved.texts("series")) {
    chosen_ = true;
    restored_ = *names;
  }
}

}  // namespace strata::ui
