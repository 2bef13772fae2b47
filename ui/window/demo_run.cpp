#include "ui/window/demo_run.h"

#include <signal.h>

#include <QAction>
#include <QFile>
#include <utility>

#include "ui/data/job_list.h"
#include "ui/rpc/runner.h"

namespace strata::ui {
namespace {
constexpr int kDemoPollMs = 1000;
}  // namespace

DemoRun::DemoRun(const QString& workspace, QAction* start, JobList* jobs, QObject* parent)
    : QObject(parent), workspace_(workspace), start_(start), jobs_(jobs) {
  timer_.setInterval(kDemoPollMs);
  connect(start_, &QAction::triggered, this, &DemoRun::run);
  connect(&timer_, &QTimer::timeout, this, &DemoRun::watch);
}

void DemoRun::setRuns(const QVector<RunRow>& runs) {
  runs_ = int(runs.size());
}

void DemoRun::run() {
  if (process_.pid != 0) return;
  try {
    process_ = startDetached(workspace_, {QStringLiteral("demo")}, QStringLiteral("demo.log"));
  } catch (const std::exception& error) {
    emit failed(QString::fromUtf8(error.what()));
    return;
  }
  runsBefore_ = runs_;
  appeared_ = false;
  start_->setEnabled(false);
  timer_.start();
  job_ = jobs_->add({.kind = JobKind::kDemo,
                     .name = tr("Demo: corpus, two models, scores"),
                     .cancel = [this] { cancel(); }});
  emit started();
}

// It forwards the signal to its runs, which save.
void DemoRun::cancel() {
  cancelled_ = true;
  if (isAlive(process_)) ::kill(pid_t(process_.pid), SIGTERM);
}

void DemoRun::watch() {
  if (runs_ > runsBefore_ && !std::exchange(appeared_, true)) emit appeared();
  if (isAlive(process_)) return;
  process_ = {};
  timer_.stop();
  start_->setEnabled(true);
  jobs_->end(job_);
  if (std::exchange(cancelled_, false)) return emit cancelled();
  if (appeared_) return;
  QFile log(workspace_ + QStringLiteral("/ui/demo.log"));
  const QByteArray text = log.open(QIODevice::ReadOnly) ? log.readAll() : QByteArray();
  emit failed(tr("The demo ended without a run: %1 (complete log: %2)")
                  .arg(lastLine(text), log.fileName()));
}

}  // namespace strata::ui
