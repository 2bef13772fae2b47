#include "ui/widgets/system_list.h"

#include <QAction>
#include <QContextMenuEvent>
#include <QDateTime>
#include <QHeaderView>
#include <QLineEdit>
#include <QLocale>
#include <QMenu>
#include <QSet>
#include <QSignalBlocker>
#include <QSortFilterProxyModel>
#include <QStandardItemModel>
#include <QTreeView>
#include <QVBoxLayout>
#include <algorithm>

#include "core/papers/paper_baselines.h"
#include "ui/data/text.h"
#include "ui/style/plain_text.h"
#include "ui/style/theme.h"

namespace strata::ui {
namespace {

constexpr int kIdRole = Qt::UserRole + 1;
constexpr int kFirstChosen = 3;  // systems checked when a set is first shown

QString tipOf(const StoredSystem& system) {
  QString tip = QStringLiteral("<b>%1</b><br>%2")
                    .arg(qs(system.name).toHtmlEscaped(), originText(system).toHtmlEscaped());
  for (const StoredScores& scores : system.importedScores) {
    tip += QStringLiteral("<br>") + SystemList::tr("%1 of %2")
                                        .arg(qs(scores.metric.name()), qs(scores.fileName))
                                        .toHtmlEscaped();
  }
  if (system.created > 0) {
    const auto time = QDateTime::fromSecsSinceEpoch(qint64(system.created));
    tip += QStringLiteral("<br>") + QLocale().toString(time, QLocale::ShortFormat).toHtmlEscaped();
  }
  return richTip(tip);
}

// The newest system of each of the newest groups; for a single group its two newest.
QStringList firstChoice(const std::vector<StoredSystem>& systems) {
  std::vector<const StoredSystem*> newest;
  for (const StoredSystem& system : systems) newest.push_back(&system);
  std::ranges::stable_sort(
      newest, [](const StoredSystem* a, const StoredSystem* b) { return a->created > b->created; });
  QStringList chosen;
  QSet<QString> groups;
  for (const StoredSystem* system : newest) {
    const QString group = qs(system->group.empty() ? system->id : system->group);
    if (chosen.size() == kFirstChosen || groups.contains(group)) continue;
    groups.insert(group);
    chosen << qs(system->id);
  }
  if (chosen.size() == 1 && newest.size() > 1) chosen << qs(newest[1]->id);
  return chosen;
}

}  // namespace

QString originText(const StoredSystem& system) {
  if (system.run == 0) return qs(system.format) + QStringLiteral(" · ") + qs(system.fileName);
  return SystemList::tr("run %1 · %2 · %3")
      .arg(system.run)
      .arg(qs(system.checkpoint), qs(system.decode));
}

SystemList::SystemList(QWidget* parent)
    : QWidget(parent),
      search_(new QLineEdit(this)),
      view_(new QTreeView(this)),
      model_(new QStandardItemModel(this)),
      filtered_(new QSortFilterProxyModel(this)) {
  setObjectName(QStringLiteral("systemList"));
  search_->setObjectName(QStringLiteral("systemSearch"));
  search_->setPlaceholderText(tr("Find a system"));
  search_->setClearButtonEnabled(true);
  filtered_->setSourceModel(model_);
  filtered_->setFilterCaseSensitivity(Qt::CaseInsensitive);
  filtered_->setFilterRole(Qt::DisplayRole);
  view_->setObjectName(QStringLiteral("systemTree"));
  view_->setModel(filtered_);
  view_->setHeaderHidden(true);
  view_->setRootIsDecorated(false);
  view_->setUniformRowHeights(true);
  view_->setEditTriggers(QAbstractItemView::NoEditTriggers);
  view_->setTextElideMode(Qt::ElideMiddle);
  view_->setContextMenuPolicy(Qt::NoContextMenu);
  view_->setToolTip(tr("Check systems to compare them; double-click one to make it the baseline"));
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->addWidget(search_);
  layout->addWidget(view_, 1);
  connect(search_, &QLineEdit::textChanged, filtered_,
          &QSortFilterProxyModel::setFilterFixedString);
  connect(model_, &QStandardItemModel::itemChanged, this, &SystemList::itemChanged);
  connect(view_, &QTreeView::doubleClicked, this,
          [this](const QModelIndex& index) { setBaseline(idAt(index)); });
}

void SystemList::setSystems(const std::vector<StoredSystem>& systems) {
  QStringList kept = chosen();
  systems_ = systems;
  kept.removeIf([this](const QString& id) { return system(id) == nullptr; });
  if (kept.isEmpty() || (kept.size() < 2 && !byUser_)) kept = firstChoice(systems);
  const QSignalBlocker blocker(model_);
  model_->clear();
  for (const StoredSystem& system : systems_) {
    const QString id = qs(system.id);
    auto* item = new QStandardItem(qs(system.name));
    item->setData(id, kIdRole);
    item->setCheckable(true);
    item->setCheckState(kept.contains(id) ? Qt::Checked : Qt::Unchecked);
    item->setToolTip(tipOf(system));
    model_->appendRow(item);
  }
  filtered_->invalidate();
  view_->reset();
  mark();
}

QStringList SystemList::chosen() const {
  QStringList ids;
  for (int row = 0; row < model_->rowCount(); ++row) {
    if (model_->item(row)->checkState() == Qt::Checked) ids << idAt(model_->index(row, 0));
  }
  return ids;
}

QString SystemList::baseline() const {
  const QStringList ids = chosen();
  if (ids.contains(baseline_) || ids.isEmpty()) return ids.isEmpty() ? QString() : baseline_;
  std::vector<std::string> presets;
  for (const QString& id : ids) presets.push_back(system(id)->preset);
  return ids[qsizetype(usualBaseline(presets))];
}

void SystemList::choose(const QStringList& ids, const QString& baseline) {
  byUser_ = true;
  {
    const QSignalBlocker blocker(model_);
    for (int row = 0; row < model_->rowCount(); ++row) {
      const bool on = ids.contains(idAt(model_->index(row, 0)));
      model_->item(row)->setCheckState(on ? Qt::Checked : Qt::Unchecked);
    }
    baseline_ = baseline;
    mark();
  }
  view_->viewport()->update();
  emit changed();
}

const StoredSystem* SystemList::system(const QString& id) const {
  const auto found = std::ranges::find_if(
      systems_, [&](const StoredSystem& system) { return qs(system.id) == id; });
  return found == systems_.end() ? nullptr : &*found;
}

QString SystemList::idAt(const QModelIndex& index) const {
  return index.data(kIdRole).toString();
}

void SystemList::itemChanged() {
  byUser_ = true;
  {
    const QSignalBlocker blocker(model_);
    mark();
  }
  emit changed();
}

void SystemList::setBaseline(const QString& id) {
  if (id.isEmpty()) return;
  QStringList ids = chosen();
  if (!ids.contains(id)) ids << id;
  choose(ids, id);
}

void SystemList::chooseGroup(const StoredSystem& system) {
  QStringList ids = chosen();
  for (const StoredSystem& other : systems_) {
    if (other.group == system.group && !ids.contains(qs(other.id))) ids << qs(other.id);
  }
  choose(ids, baseline());
}

void SystemList::mark() {
  const QString marked = baseline();
  for (int row = 0; row < model_->rowCount(); ++row) {
    QStandardItem* item = model_->item(row);
    const QString name = qs(systems_[std::size_t(row)].name);
    const bool isBaseline = idAt(item->index()) == marked;
    QFont font = item->font();
    font.setBold(isBaseline);
    item->setFont(font);
    item->setText(isBaseline ? tr("%1 (baseline)").arg(name) : name);
  }
}

void SystemList::addScoresMenu(QMenu& menu, const StoredSystem& system) {
  if (system.importedScores.empty()) return;
  QMenu* scores = menu.addMenu(tr("Remove imported scores"));
  for (const StoredScores& each : system.importedScores) {
    const QString metric = qs(each.metric.name());
    scores->addAction(asEntry(metric), this, [this, id = qs(system.id), metric] {
      emit trashScoresRequested(id, metric);
    });
  }
}

void SystemList::contextMenuEvent(QContextMenuEvent* event) {
  const QModelIndex index = view_->currentIndex();
  const StoredSystem* stored = index.isValid() ? system(idAt(index)) : nullptr;
  QMenu menu(this);
  if (stored != nullptr) {
    const QString id = qs(stored->id);
    menu.addAction(tr("Use as baseline"), this, [this, id] { setBaseline(id); });
    if (!stored->group.empty()) {
      menu.addAction(tr("Check all its seeds"), this,
                     [this, system = *stored] { chooseGroup(system); });
    }
    menu.addAction(tr("Compare with the baseline only"), this, [this, id] {
      choose({baseline(), id}, baseline());
    });
    addScoresMenu(menu, *stored);
    if (stored->run == 0) {
      menu.addSeparator();
      menu.addAction(themedIcon(QStringLiteral("trash")), tr("Move to the trash"), this,
                     [this, id] { emit trashRequested(id); });
    }
    menu.addSeparator();
  }
  menu.addAction(tr("Uncheck all"), this, [this] { choose({}, {}); });
  menu.exec(event->globalPos());
}

}  // namespace strata::ui
