#include "ui/window/jobs_dock.h"

#include <QAction>
#include <QHBoxLayout>
#include <QLabel>
#include <QProgressBar>
#include <QToolButton>
#include <QVBoxLayout>
#include <cmath>

#include "ui/data/job_list.h"
#include "ui/data/text.h"
#include "ui/widgets/building.h"
#include "ui/widgets/job_table.h"

namespace strata::ui {

JobsDock::JobsDock(JobList* jobs, QAction* show, QWidget* parent)
    : QDockWidget(tr("Jobs"), parent), jobs_(jobs) {
  setObjectName(QStringLiteral("jobsDock"));
  setFeatures(DockWidgetClosable);
  auto* content = new QWidget(this);
  auto* layout = makeLayout<QVBoxLayout>(content);
  table_ = new JobTable(content);
  empty_ = styled(named(new QLabel(tr("Nothing is going on. Training runs, translations of a set, "
                                      "imports and exports are listed here."),
                                   content),
                        QStringLiteral("noJobs")),
                  "muted");
  empty_->setContentsMargins(12, 8, 12, 8);
  empty_->setAlignment(Qt::AlignTop);
  layout->addWidget(empty_, 1);
  layout->addWidget(table_, 1);
  content->setMinimumHeight(120);
  setWidget(content);
  setVisible(false);
  summary_ = makeSummary(show);
  show->setCheckable(true);
  connect(show, &QAction::toggled, this, [this](bool shown) {
    setVisible(shown);
    if (shown) table_->setFocus();
  });
  connect(this, &QDockWidget::visibilityChanged, show, [this, show] {
    if (isHidden()) show->setChecked(false);
  });
  connect(jobs_, &JobList::changed, this, &JobsDock::refresh);
  connect(table_, &JobTable::cancelled, jobs_, &JobList::cancel);
  connect(table_, &JobTable::runChosen, this, &JobsDock::runChosen);
  refresh();
}

QWidget* JobsDock::makeSummary(QAction* show) {
  auto* summary = new QWidget(this);
  auto* layout = makeLayout<QHBoxLayout>(summary, {}, 6);
  bar_ = named(new QProgressBar(summary), QStringLiteral("jobsProgress"),
               tr("Progress of what is running"));
  bar_->setRange(0, 1000);
  bar_->setTextVisible(false);
  bar_->setFixedSize(64, 6);
  button_ = styled(named(new QToolButton(summary), QStringLiteral("jobsButton")), "flat");
  button_->setToolTip(tr("%1 (%2)").arg(show->toolTip(), show->shortcut().toString()));
  connect(button_, &QToolButton::clicked, show, &QAction::toggle);
  layout->addStretch();
  layout->addWidget(bar_, 0, Qt::AlignVCenter);
  layout->addWidget(button_);
  return summary;
}

void JobsDock::refresh() {
  const auto& rows = jobs_->rows();
  table_->setJobs(rows);
  table_->setVisible(!rows.isEmpty());
  empty_->setVisible(rows.isEmpty());
  const int running = jobs_->running();
  QStringList parts;
  parts << (running == 0 ? tr("nothing is running") : tr("%1 running").arg(running));
  if (const auto left = jobs_->left()) parts << timeText(*left);
  if (jobs_->failed() > 0) parts << tr("%1 failed").arg(jobs_->failed());
  if (!rows.isEmpty()) parts << tr("jobs %1").arg(rows.size());
  button_->setText(parts.join(QStringLiteral(" · ")));
  button_->setAccessibleName(tr("Jobs: %1").arg(button_->text()));
  const double share = jobs_->share();
  bar_->setVisible(!std::isnan(share));
  if (!std::isnan(share)) bar_->setValue(int(std::lround(share * 1000)));
}

}  // namespace strata::ui
