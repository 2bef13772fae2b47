#include "ui/data/job_list.h"

#include <QDateTime>
#include <algorithm>
#include <array>
#include <cmath>

#include "core/base/progress_line.h"
#include "ui/data/text.h"

namespace strata::ui {
namespace {

struct KindText {
  const char *title, *icon;
};
constexpr std::array<KindText, 7> kKinds{
    {{QT_TRANSLATE_NOOP("strata::ui", "training"), "launch"},
     {QT_TRANSLATE_NOOP("strata::ui", "translation"), "translate"},
     {QT_TRANSLATE_NOOP("strata::ui", "preparing"), "data"},
     {QT_TRANSLATE_NOOP("strata::ui", "import"), "folder"},
     {QT_TRANSLATE_NOOP("strata::ui", "export"), "export"},
     {QT_TRANSLATE_NOOP("strata::ui", "demo"), "demo"},
     {QT_TRANSLATE_NOOP("strata::ui", "computation"), "monitor"}}};

JobRow rowOf(const RunActivity& run) {
  JobRow row;
  row.id = -run.run;
  row.kind = JobKind::kTraining;
  row.name = qs(run.name);
  row.run = run.run;
  row.canCancel = true;
  row.device = qs(run.device);
  row.share = run.share();
  row.left = run.left;
  if (run.place > 0) {
    row.state = JobProgress::kQueued;
    row.detail = JobList::tr("place %1 in the queue").arg(run.place);
    return row;
  }
  row.detail = run.lastStep
                   ? JobList::tr("step %1 of %2").arg(countText(run.step), countText(*run.lastStep))
                   : JobList::tr("step %1").arg(countText(run.step));
  row.basis = JobList::tr(
                  "From the newest %1 logged intervals of this start, at the speed of the "
                  "fastest and of the slowest quarter of them; other work on the computer "
                  "changes it.")
                  .arg(run.intervals);
  return row;
}

}  // namespace

QString titleOf(JobKind kind) {
  return translated(kKinds[std::size_t(kind)].title);
}

QString iconOf(JobKind kind) {
  return QLatin1String(kKinds[std::size_t(kind)].icon);
}

JobList::Entry* JobList::find(qint64 id) {
  const auto found = std::ranges::find(tasks_, id, &Entry::id);
  return found == tasks_.end() ? nullptr : &*found;
}

// It is mended: it is done again.
void JobList::forgetFailed(const Task& task) {
  tasks_.removeIf([&](const Entry& entry) {
    return entry.row.state == JobProgress::kFailed && entry.row.kind == task.kind &&
           entry.row.name == task.name;
  });
}

qint64 JobList::add(const Task& task) {
  forgetFailed(task);
  Entry entry{.id = next_++, .task = task, .row = {}, .points = {}};
  entry.row.id = entry.id;
  entry.row.kind = task.kind;
  entry.row.name = task.name;
  entry.row.state = task.state;
  entry.row.run = task.run;
  entry.row.canCancel = bool(task.cancel);
  tasks_ << entry;
  rebuild();
  return entry.id;
}

void JobList::start(qint64 id) {
  Entry* entry = find(id);
  if (!entry || entry->row.state != JobProgress::kQueued) return;
  entry->row.state = JobProgress::kRunning;
  rebuild();
}

void JobList::progress(qint64 id, qint64 done, qint64 total, const QString& unit) {
  Entry* entry = find(id);
  if (!entry) return;
  auto& points = entry->points;
  if (!points.empty() && done < points.back().step) points.clear();  // its next part
  if (points.empty() || done > points.back().step)
    points.push_back({done, double(QDateTime::currentMSecsSinceEpoch()) / 1000, 0});
  if (points.size() > kEstimateIntervals + 1) points.erase(points.begin());
  JobRow& row = entry->row;
  row.share = total > 0 ? std::clamp(double(done) / double(total), 0.0, 1.0)
                        : std::numeric_limits<double>::quiet_NaN();
  row.detail = total > 0 ? tr("%1 of %2 %3").arg(countText(done), countText(total), unit)
                         : tr("%1 %2").arg(countText(done), unit);
  row.left = total > 0 ? timeLeft(points, total - done) : std::nullopt;
  row.basis =
      tr("From its progress so far, at the speed of the fastest and of the slowest quarter.");
  rebuild();
}

bool JobList::readProgress(qint64 id, const QByteArray& line) {
  const auto read = progressLineFrom(line.trimmed().toStdString());
  if (read) progress(id, read->done, read->total, qs(read->unit));
  return read.has_value();
}

void JobList::end(qint64 id) {
  tasks_.removeIf([id](const Entry& entry) { return entry.id == id; });
  rebuild();
}

void JobList::fail(qint64 id, const QString& reason) {
  Entry* entry = find(id);
  if (!entry) return;
  JobRow& row = entry->row;
  row.state = JobProgress::kFailed;
  row.error = reason;
  row.detail = reason.section(QLatin1Char('\n'), 0, 0);
  row.share = std::numeric_limits<double>::quiet_NaN();
  row.left.reset();
  row.canCancel = true;
  rebuild();
}

void JobList::setActivity(const std::vector<RunActivity>& runs) {
  trainings_.clear();
  QVector<qint64> stopping;
  for (const RunActivity& run : runs) {
    JobRow row = rowOf(run);
    if (stopping_.contains(run.run) || !run.pending.empty()) row.state = JobProgress::kCancelling;
    if (stopping_.contains(run.run)) stopping << run.run;
    trainings_ << row;
  }
  stopping_ = stopping;
  rebuild();
}

void JobList::cancel(qint64 id) {
  if (id < 0) {
    const auto row = std::ranges::find(trainings_, id, &JobRow::id);
    if (row == trainings_.end() || row->state == JobProgress::kCancelling) return;
    row->state = JobProgress::kCancelling;
    stopping_ << row->run;
    rebuild();
    emit stopRequested(-id);
    return;
  }
  Entry* entry = find(id);
  if (entry && entry->row.state == JobProgress::kFailed) return end(id);
  if (!entry || !entry->task.cancel || entry->row.state == JobProgress::kCancelling) return;
  entry->row.state = JobProgress::kCancelling;
  const auto cancel = entry->task.cancel;  // it may end the entry
  rebuild();
  cancel();
}

void JobList::rebuild() {
  rows_ = trainings_;
  for (const Entry& entry : tasks_) rows_ << entry.row;
  std::ranges::stable_sort(rows_, {}, [](const JobRow& row) {
    return row.isRunning() ? 0 : row.state == JobProgress::kFailed ? 1 : 2;
  });
  emit changed();
}

int JobList::running() const {
  return int(std::ranges::count_if(rows_, &JobRow::isRunning));
}

int JobList::failed() const {
  return int(std::ranges::count(rows_, JobProgress::kFailed, &JobRow::state));
}

double JobList::share() const {
  double sum = 0;
  int known = 0;
  for (const JobRow& row : rows_) {
    if (!row.isRunning() || std::isnan(row.share)) continue;
    sum += row.share;
    ++known;
  }
  return known == 0 ? std::numeric_limits<double>::quiet_NaN() : sum / known;
}

std::optional<TimeRange> JobList::left() const {
  std::optional<TimeRange> all;
  for (const JobRow& row : rows_) {
    if (!row.isRunning() || !row.left) continue;
    if (!all) all = TimeRange{};
    all->least = std::max(all->least, row.left->least);
    all->most = std::max(all->most, row.left->most);
  }
  return all;
}

}  // namespace strata::ui
