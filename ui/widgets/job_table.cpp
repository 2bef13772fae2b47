#include "ui/widgets/job_table.h"

#include <QHeaderView>
#include <QKeyEvent>
#include <QPushButton>
#include <algorithm>
#include <cmath>

#include "ui/data/text.h"
#include "ui/style/theme.h"
#include "ui/widgets/building.h"
#include "ui/widgets/share_delegate.h"

namespace strata::ui {
namespace {

constexpr int kJobRowHeight = 32;  // of a text with a bar below
constexpr int kJobRole = Qt::UserRole, kRunRole = Qt::UserRole + 1;

QString stateText(const JobRow& job) {
  switch (job.state) {
    case JobProgress::kQueued:
      return JobTable::tr("queued");
    case JobProgress::kCancelling:
      return JobTable::tr("cancelling…");
    case JobProgress::kFailed:
      return JobTable::tr("failed");
    default:
      return JobTable::tr("running");
  }
}

}  // namespace

JobTable::JobTable(QWidget* parent) : QTreeWidget(parent) {
  named(this, QStringLiteral("jobTable"), tr("Jobs"));
  setHeaderLabels(
      {tr("job"), tr("progress"), tr("time left"), tr("state"), tr("device"), QString()});
  setRootIsDecorated(false);
  setUniformRowHeights(true);
  setAllColumnsShowFocus(true);
  setItemDelegateForColumn(kProgress, new ShareDelegate(this));
  setTabKeyNavigation(false);
  header()->setStretchLastSection(false);
  header()->setSectionResizeMode(kName, QHeaderView::Stretch);
  header()->resizeSection(kProgress, 240);
  header()->resizeSection(kLeft, 120);
  header()->resizeSection(kState, 110);
  header()->resizeSection(kDevice, 80);
  header()->resizeSection(kCancel, 90);
  connect(this, &QTreeWidget::itemClicked, this, [this](QTreeWidgetItem* item) {
    if (const qint64 run = item->data(kName, kRunRole).toLongLong(); run > 0) emit runChosen(run);
  });
  connect(this, &QTreeWidget::itemActivated, this, &QTreeWidget::itemClicked);
}

QTreeWidgetItem* JobTable::itemOf(qint64 job) const {
  for (int row = 0; row < topLevelItemCount(); ++row) {
    if (topLevelItem(row)->data(kName, kJobRole).toLongLong() == job) return topLevelItem(row);
  }
  return nullptr;
}

QTreeWidgetItem* JobTable::addItem(const JobRow& job) {
  auto* item = new QTreeWidgetItem(this);
  item->setSizeHint(kProgress, QSize(0, kJobRowHeight));
  item->setData(kName, kJobRole, job.id);
  item->setData(kName, kRunRole, job.run);
  auto* cancel = named(new QPushButton(tr("Cancel"), this), QStringLiteral("cancelJob"),
                       tr("Cancel %1").arg(job.name));
  styled(cancel, "compact");
  connect(cancel, &QPushButton::clicked, this, [this, id = job.id] { emit cancelled(id); });
  setItemWidget(item, kCancel, cancel);
  return item;
}

// Whether two lists have what is in both in the same order.
static bool keepsOrder(const QVector<JobRow>& before, const QVector<JobRow>& after) {
  QVector<qint64> left, right;
  for (const JobRow& row : before) {
    if (std::ranges::find(after, row.id, &JobRow::id) != after.end()) left << row.id;
  }
  for (const JobRow& row : after) {
    if (std::ranges::find(before, row.id, &JobRow::id) != before.end()) right << row.id;
  }
  return left == right;
}

// Rows stay where they are while their jobs go on, so that a click does not hit another one, unless
// the queue has got another order.
void JobTable::setJobs(const QVector<JobRow>& jobs) {
  const qint64 chosen = currentItem() ? currentItem()->data(kName, kJobRole).toLongLong() : 0;
  if (!keepsOrder(jobs_, jobs)) clear();
  jobs_ = jobs;
  for (int row = topLevelItemCount() - 1; row >= 0; --row) {
    const qint64 id = topLevelItem(row)->data(kName, kJobRole).toLongLong();
    if (std::ranges::find(jobs, id, &JobRow::id) == jobs.end()) delete takeTopLevelItem(row);
  }
  for (const JobRow& job : jobs) {
    QTreeWidgetItem* item = itemOf(job.id);
    if (!item) item = addItem(job);
    fill(item, job);
    if (job.id == chosen && currentItem() != item) setCurrentItem(item);
  }
}

void JobTable::fill(QTreeWidgetItem* item, const JobRow& job) {
  item->setIcon(kName, themedIcon(iconOf(job.kind)));
  item->setText(kName, job.name);
  item->setToolTip(kName, tr("%1: %2").arg(titleOf(job.kind), job.name));
  item->setText(kProgress, job.detail);
  const bool known = !std::isnan(job.share) && job.state != JobProgress::kQueued;
  item->setData(kProgress, ShareDelegate::kShareRole, known ? QVariant(job.share) : QVariant());
  item->setData(kProgress, Qt::AccessibleTextRole,
                known ? tr("%1, %2 %").arg(job.detail).arg(qRound(job.share * 100)) : job.detail);
  item->setText(kLeft, job.left ? timeText(*job.left) : QString());
  item->setToolTip(kLeft, job.left ? job.basis : QString());
  item->setText(kState, stateText(job));
  item->setText(kDevice, job.device);
  item->setToolTip(kProgress, job.error);
  const bool failed = job.state == JobProgress::kFailed;
  item->setForeground(kState, failed ? QBrush(theme().bad) : QBrush());
  auto* cancel = static_cast<QPushButton*>(itemWidget(item, kCancel));
  cancel->setEnabled(job.canCancel && job.state != JobProgress::kCancelling);
  cancel->setText(failed ? tr("Dismiss") : tr("Cancel"));
  cancel->setAccessibleName((failed ? tr("Dismiss %1") : tr("Cancel %1")).arg(job.name));
}

void JobTable::keyPressEvent(QKeyEvent* event) {
  if (event->key() == Qt::Key_Delete && currentItem()) {
    emit cancelled(currentItem()->data(kName, kJobRole).toLongLong());
    return;
  }
  QTreeWidget::keyPressEvent(event);
}

void JobTable::changeEvent(QEvent* event) {
  QTreeWidget::changeEvent(event);
  if (event->type() == QEvent::PaletteChange) setJobs(QVector<JobRow>(jobs_));
}

}  // namespace strata::ui
