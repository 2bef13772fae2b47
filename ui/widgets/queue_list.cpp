#include "ui/widgets/queue_list.h"

#include <QDropEvent>
#include <QHeaderView>
#include <QKeyEvent>
#include <algorithm>
#include <cmath>

#include "ui/data/text.h"
#include "ui/widgets/building.h"
#include "ui/widgets/share_delegate.h"

namespace strata::ui {
namespace {
constexpr int kQueuedRunRole = Qt::UserRole;
}

QueueList::QueueList(QWidget* parent) : QTreeWidget(parent) {
  named(this, QStringLiteral("queueList"), tr("Queue"));
  setHeaderHidden(true);
  setColumnCount(kColumns);
  setRootIsDecorated(false);
  setUniformRowHeights(true);
  setAllColumnsShowFocus(true);
  setTabKeyNavigation(false);
  setItemDelegateForColumn(kProgress, new ShareDelegate(this));
  setDragDropMode(InternalMove);
  setToolTip(tr("Drag a waiting run to another place, or move it with Alt+Up and Alt+Down"));
  header()->setStretchLastSection(false);
  header()->setSectionResizeMode(kName, QHeaderView::Stretch);
  header()->setSectionResizeMode(kPlace, QHeaderView::ResizeToContents);
  header()->setSectionResizeMode(kDevice, QHeaderView::ResizeToContents);
  header()->resizeSection(kProgress, 90);
  connect(this, &QTreeWidget::itemClicked, this, [this](const QTreeWidgetItem* item) {
    emit runChosen(item->data(kName, kQueuedRunRole).toLongLong());
  });
  connect(this, &QTreeWidget::itemActivated, this, &QTreeWidget::itemClicked);
}

void QueueList::setActivity(const std::vector<RunActivity>& runs) {
  const qint64 chosen = currentItem() ? currentItem()->data(kName, kQueuedRunRole).toLongLong() : 0;
  // Before the runs change: without its row, another becomes the current one and is asked about.
  while (topLevelItemCount() > int(runs.size())) delete takeTopLevelItem(topLevelItemCount() - 1);
  activity_ = runs;
  for (std::size_t row = 0; row < runs.size(); ++row) {
    if (int(row) >= topLevelItemCount()) new QTreeWidgetItem(this);
    fill(topLevelItem(int(row)), runs[row]);
    if (runs[row].run == chosen) setCurrentItem(topLevelItem(int(row)));
  }
}

void QueueList::fill(QTreeWidgetItem* item, const RunActivity& run) {
  const bool waits = run.place > 0;
  const double share = run.share();
  const bool known = !waits && !std::isnan(share);
  item->setData(kName, kQueuedRunRole, qint64(run.run));
  item->setText(kPlace, waits ? QString::number(run.place) : QStringLiteral("▶"));
  item->setData(kPlace, Qt::AccessibleTextRole,
                waits ? tr("place %1").arg(run.place) : tr("running"));
  item->setText(kName, qs(run.name));
  item->setToolTip(kName, qs(run.name));
  item->setText(kProgress, waits   ? tr("waits")
                           : known ? tr("%1 %").arg(std::floor(share * 100))
                                   : countText(run.step));
  item->setData(kProgress, ShareDelegate::kShareRole, known ? QVariant(share) : QVariant());
  item->setText(kDevice, qs(run.device));
  Qt::ItemFlags flags = Qt::ItemIsEnabled | Qt::ItemIsSelectable;  // nothing is dropped *on* a run
  if (waits) flags |= Qt::ItemIsDragEnabled;
  item->setFlags(flags);
}

int QueueList::placeOf(QTreeWidgetItem* item) const {
  const int row = item ? indexOfTopLevelItem(item) : -1;
  return row < 0 ? -1 : activity_[std::size_t(row)].place - 1;
}

qint64 QueueList::waitingAt(int place) const {
  const auto found = std::ranges::find(activity_, place + 1, &RunActivity::place);
  return found == activity_.end() ? 0 : found->run;
}

void QueueList::moveTo(qint64 run, int place) {
  std::vector<qint64> others;
  for (const RunActivity& each : activity_) {
    if (each.place > 0 && each.run != run) others.push_back(each.run);
  }
  emit moved(run, std::size_t(place) < others.size() ? others[std::size_t(place)] : 0);
}

bool QueueList::canMoveBy(int places) const {
  const int now = placeOf(currentItem());
  return now >= 0 && now + places >= 0 && waitingAt(now + places) != 0;
}

void QueueList::moveBy(int places) {
  const int now = placeOf(currentItem());
  if (canMoveBy(places)) moveTo(waitingAt(now), now + places);
}

void QueueList::keyPressEvent(QKeyEvent* event) {
  const bool up = event->key() == Qt::Key_Up, down = event->key() == Qt::Key_Down;
  if ((up || down) && event->modifiers() == Qt::AltModifier) return moveBy(up ? -1 : 1);
  QTreeWidget::keyPressEvent(event);
}

// The row follows when the workspace has the new order: nothing is moved here.
void QueueList::dropEvent(QDropEvent* event) {
  const int from = placeOf(currentItem());
  const QPoint at = event->position().toPoint();
  QTreeWidgetItem* below = itemAt(at);
  const int waiting =
      int(std::ranges::count_if(activity_, [](const RunActivity& run) { return run.place > 0; }));
  int to = below ? std::max(0, placeOf(below)) : waiting;
  if (below && placeOf(below) >= 0 && at.y() > visualItemRect(below).center().y()) ++to;
  if (from >= 0 && to != from && to != from + 1) moveTo(waitingAt(from), to > from ? to - 1 : to);
  event->setDropAction(Qt::IgnoreAction);
  event->accept();
}

}  // namespace strata::ui
