#include "ui/data/workspace_reader.h"

#include <algorithm>

#include "core/data/dataset.h"
#include "core/store/jobs.h"
#include "core/store/run_session.h"
#include "ui/data/text.h"

namespace strata::ui {
namespace {
constexpr int kPollMs = 200;
constexpr int kBusyMs = 4000;  // waits for another process's transaction, which takes milliseconds
constexpr int kHealthPolls = 8;  // checks for dead runs and for datasets every 1.6 s

RunRow rowOf(const RunSummary& summary) {
  RunRow row;
  row.id = summary.id;
  row.name = qs(summary.name);
  row.status = summary.status;
  row.preset = qs(summary.preset);
  row.dataset = qs(summary.dataset);
  row.metric = qs(summary.metric);
  row.best = summary.best;
  row.last = summary.last;
  row.bestStep = summary.bestStep;
  row.lastStep = summary.lastStep;
  row.step = summary.step;
  row.tokensPerSecond = summary.tokensPerSecond;
  row.seconds = summary.seconds;
  row.seed = summary.seed;
  for (const std::string& tag : summary.tags) row.tags << qs(tag);
  row.message = qs(summary.message);
  row.pending = qs(summary.pending);
  row.folder = qs(summary.folder.string());
  row.trashed = summary.trashed;
  row.created = summary.created;
  return row;
}

}  // namespace

WorkspaceReader::WorkspaceReader(QString root, WorkspaceService* service)
    : root_(std::move(root)), service_(service) {}

void WorkspaceReader::start() {
  timer_ = new QTimer(this);
  connect(timer_, &QTimer::timeout, this, &WorkspaceReader::poll);
  timer_->start(kPollMs);
  poll();
}

void WorkspaceReader::report(const std::exception& error) {
  const QString message = QString::fromUtf8(error.what());
  if (message == lastError_) return;  // polling would repeat it five times per second
  lastError_ = message;
  emit service_->failed(message);
}

bool WorkspaceReader::open() {
  if (workspace_) return true;
  WorkspaceOptions options;
  options.busyMilliseconds = kBusyMs;
  workspace_ = std::make_unique<Workspace>(toStd(root_), options);
  return true;
}

void WorkspaceReader::poll() {
  try {
    open();
    look(false);
    lastError_.clear();
  } catch (const std::exception& error) {
    report(error);
  }
}

void WorkspaceReader::look(bool all) {
  const bool health = polls_++ % kHealthPolls == 0;
  if (health && refreshWorkspace(*workspace_) > 0) all = true;
  const std::int64_t version = workspace_->dataVersion();
  if (all || version != version_) {
    version_ = version;
    readRuns();
    readSeries();
    readMeans();
    readAcknowledgements();
  }
  if (health) readDatasets();
  readLog();
  if (!opened_) {
    opened_ = true;
    emit service_->opened();
  }
}

void WorkspaceReader::change(const std::function<void(Workspace&)>& task) {
  try {
    open();
    task(*workspace_);
    look(true);
  } catch (const std::exception& error) {
    emit service_->failed(QString::fromUtf8(error.what()));
  }
}

void WorkspaceReader::addDetails(const RunSummary& summary, RunRow& row) {
  for (const StoredCheckpoint& checkpoint : listCheckpointRows(*workspace_, summary.id)) {
    row.hasCheckpoint = row.hasCheckpoint || checkpoint.present;
  }
  if (row.hasCheckpoint)
    row.decoderEmbedding = fusionOf(summary.id, summary.folder).decoderEmbedding;
  const std::vector<StoredRecording> recordings = listRecordingRows(*workspace_, summary.id);
  QVector<qint64> steps;
  RecordedNames recorded;
  for (const StoredRecording& recording : recordings) {
    if (!recording.present) continue;
    steps << recording.step;
    recorded = recordedBy(summary.id, recording.folder);
  }
  if (steps.isEmpty()) return;
  std::sort(steps.begin(), steps.end());
  if (recorded.hops) row.fusionSteps = steps;
  row.historyNames = recorded.history;
  if (!row.historyNames.isEmpty()) row.historySteps = steps;
}

void WorkspaceReader::readRuns() {
  QVector<RunRow> rows;
  RunFilter filter;
  filter.trashed = true;
  for (const RunSummary& summary : listRuns(*workspace_, filter)) {
    RunRow row = rowOf(summary);
    Known& known = known_[row.id];
    // A training run saves and records between two scores.
    if (static_cast<const RunFacts&>(known.row) == row && !row.isActive()) {
      row = known.row;
    } else {
      addDetails(summary, row);
      known.row = row;
    }
    rows << row;
  }
  std::sort(rows.begin(), rows.end(), [](const RunRow& a, const RunRow& b) { return a.id < b.id; });
  emit service_->runsChanged(rows);
}

void WorkspaceReader::watchSeries(const QVector<SeriesKey>& keys) {
  std::map<SeriesKey, SeriesCursor> next;
  for (const SeriesKey& key : keys) {
    const auto found = watched_.find(key);
    next[key] = found == watched_.end() ? SeriesCursor{} : found->second;
    if (key.name.isEmpty() && found == watched_.end()) sentNames_.remove(key.runId);
  }
  watched_ = std::move(next);
  if (!workspace_) return;
  try {
    readSeries();
  } catch (const std::exception& error) {
    report(error);
  }
}

void WorkspaceReader::readSeries() {
  QVector<SeriesPoints> arrived;
  QSet<qint64> runs;
  for (auto& [key, cursor] : watched_) {
    runs.insert(key.runId);
    if (key.name.isEmpty()) continue;
    SeriesIncrement increment = readSeriesSince(*workspace_, key.runId, toStd(key.name), cursor);
    const bool first = cursor.generation < 0;
    cursor = increment.next;
    if (increment.points.empty() && !increment.replaces && !first) continue;
    arrived << SeriesPoints{key, std::move(increment.points), increment.replaces};
  }
  for (const qint64 run : runs) {
    QStringList names;
    for (const SeriesSummary& series : listSeries(*workspace_, run)) names << qs(series.name);
    if (sentNames_.contains(run) && sentNames_[run] == names) continue;
    sentNames_[run] = names;
    emit service_->seriesNamesChanged(run, names);
  }
  if (!arrived.isEmpty()) emit service_->pointsArrived(arrived);
}

void WorkspaceReader::loadSeries(qint64 run, const QString& prefix) {
  QVector<SeriesPoints> loaded;
  try {
    open();
    for (const SeriesSummary& series : listSeries(*workspace_, run)) {
      const QString name = qs(series.name);
      if (!name.startsWith(prefix)) continue;
      loaded << SeriesPoints{{run, name}, strata::readSeries(*workspace_, run, series.name), true};
    }
  } catch (const std::exception& error) {
    report(error);
  }
  emit service_->seriesLoaded(run, prefix,
                              loaded);  // also on failure: the caller must not wait forever
}

void WorkspaceReader::loadExamples(qint64 run) {
  if (run <= 0) return;
  try {
    open();
    QStringList sentences;
    for (const StoredSample& sample : readSamples(*workspace_, run)) {
      const QString text = qs(sample.source);
      if (!sentences.contains(text)) sentences << text;
    }
    emit service_->examplesLoaded(run, sentences);
  } catch (const std::exception& error) {
    report(error);
  }
}

void WorkspaceReader::watchLog(qint64 run) {
  logRun_ = run;
  logOffset_ = 0;
  if (!workspace_) return;
  try {
    readLog();
  } catch (const std::exception& error) {
    report(error);
  }
}

void WorkspaceReader::readLog() {
  const auto known = known_.find(logRun_);
  if (logRun_ == 0 || known == known_.end()) return;
  const bool first = logOffset_ == 0;
  QVector<LogLine> lines;
  for (const RunLogLine& line : readRunLog(toStd(known->second.row.folder), logOffset_)) {
    lines << LogLine{line.time, qs(line.level), qs(line.text)};
  }
  if (!lines.isEmpty() || first) emit service_->logArrived(logRun_, lines);
}

void WorkspaceReader::readDatasets() {
  QVector<DatasetRow> rows;
  QSet<QString> names;
  for (const Dataset& dataset : listDatasets(workspace_->datasetsFolder()).datasets) {
    const QString name = qs(dataset.name());
    if (names.contains(name)) continue;  // an older version
    names.insert(name);
    const Json& manifest = dataset.manifest();
    const Json train = manifest.contains("train") && manifest["train"].is_object()
                           ? manifest["train"]
                           : Json::object();
    rows << DatasetRow{name, qs(dataset.sourceLanguage()), qs(dataset.targetLanguage()),
                       train.value("pairs", qint64(0))};
  }
  const auto same = [](const DatasetRow& a, const DatasetRow& b) {
    return a.name == b.name && a.trainPairs == b.trainPairs;
  };
  if (opened_ && std::equal(rows.begin(), rows.end(), datasets_.begin(), datasets_.end(), same))
    return;
  datasets_ = rows;
  emit service_->datasetsChanged(rows);
}

void WorkspaceReader::command(const QVector<qint64>& runs, WorkspaceService::RunCommand command) {
  for (const qint64 run : runs) {
    change([&](Workspace& workspace) {
      if (command == WorkspaceService::RunCommand::kResume) {
        const Job job = enqueueResume(workspace, run);
        emit service_->queued(run, qs(job.name));
        return;
      }
      const bool stop = command == WorkspaceService::RunCommand::kStop;
      waiting_[sendCommand(workspace, run, stop ? Command::kStop : Command::kPause)] = run;
    });
  }
}

void WorkspaceReader::readAcknowledgements() {
  for (auto it = waiting_.begin(); it != waiting_.end();) {
    const CommandState state = commandState(*workspace_, it->first);
    if (state.acknowledged == 0) {
      ++it;
      continue;
    }
    emit service_->acknowledged(
        tr("%1: %2 (%3)")
            .arg(known_[it->second].row.name, qs(state.outcome), qs(nameOf(state.command))));
    it = waiting_.erase(it);
  }
}

void WorkspaceReader::startRun(const QString& name, const QString& preset, const Json& config) {
  change([&](Workspace& workspace) {
    const Job job = enqueueRun(workspace, {toStd(name), config, toStd(preset)});
    emit service_->queued(job.run, qs(job.name));
  });
}

}  // namespace strata::ui
