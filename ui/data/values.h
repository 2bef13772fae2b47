#pragma once
#include <QMetaType>
#include <QString>
#include <QStringList>
#include <QVector>
#include <cmath>
#include <limits>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "core/inside/recorded_step.h"
#include "core/store/runs.h"
#include "ui/plots/series.h"

namespace strata::ui {

// A run as the window shows it. Plain values, copied from the reader thread to the GUI thread.
struct RunFacts {
  qint64 id = 0;
  QString name, preset, dataset;
  QString group;  // the same for runs that differ only in their seed; empty: unknown
  RunStatus status = RunStatus::kCreated;
  QString metric;  // the series of `best` and `last`
  double best = std::numeric_limits<double>::quiet_NaN(), last = best;
  qint64 bestStep = -1, lastStep = -1;  // -1: no value yet
  qint64 step = 0;                      // updates done
  double tokensPerSecond = 0;           // latest value; 0: unknown
  double seconds = 0;                   // of training time
  qint64 seed = 0;
  QStringList tags;
  QString note;
  QString message;        // why it failed or was interrupted
  bool diverged = false;  // it failed at numbers that are not finite, at `step`
  QString pending;        // a command that the run has not acknowledged yet: "stop", "pause", ...
  QString folder;         // absolute
  bool trashed = false;
  bool missing = false;  // its folder was removed outside of Strata
  double created = 0;    // seconds since the Unix epoch

  bool isRunning() const { return status == RunStatus::kRunning; }
  bool waits() const {  // it has no data yet
    return status == RunStatus::kQueued || status == RunStatus::kCreated;
  }
  // The process is alive or about to start.
  bool isActive() const { return isRunning() || status == RunStatus::kQueued; }
};
bool operator==(const RunFacts& a, const RunFacts& b);  // NaN equals NaN

// A model that a run has saved.
struct RunCheckpoint {
  qint64 step = 0;
  bool best = false;  // the best of the run so far

  bool operator==(const RunCheckpoint&) const = default;
};

// What a run's folder holds for panels.
struct RunDetails {
  bool hasCheckpoint = false;          // it can translate
  QVector<RunCheckpoint> checkpoints;  // that still exist, ascending steps
  QVector<qint64> fusionSteps;    // steps with recordings of hop weights, ascending; empty: none
  QVector<qint64> historySteps;   // steps with recordings of target-side attention, ascending
  QStringList historyNames;       // the recordings that the target-side attention panel needs
  QVector<qint64> recordedSteps;  // steps with any recordings, ascending; empty: none

  bool operator==(const RunDetails&) const = default;
};

struct RunRow : RunFacts, RunDetails {
  bool operator==(const RunRow&) const = default;
};

// What to do about a run whose folder is missing.
QString missingText(const RunFacts& run);
// A run with the configuration of one that was to start.
struct SameRunRow {
  qint64 id = 0;
  QString name;
  RunStatus status = RunStatus::kCreated;
  quint64 freeSeed = 1;  // the lowest seed that no run of this configuration has
};

// To the process of a run, or to start one that goes on; also with a configuration that was edited.
enum class RunCommand { kStop, kPause, kResume, kResumeEdited, kFirst };  // first in the queue

const RunRow* findRun(const QVector<RunRow>& runs, qint64 id);  // null: it is not among them
// The runs outside the trash, newest first.
QVector<RunRow> newestFirst(const QVector<RunRow>& runs);

struct SeriesKey {
  qint64 runId = 0;
  QString name;
  bool operator==(const SeriesKey&) const = default;
  bool operator<(const SeriesKey& other) const {
    return std::pair(runId, name) < std::pair(other.runId, other.name);
  }
};
inline size_t qHash(const SeriesKey& key, size_t seed = 0) {
  return qHashMulti(seed, key.runId, key.name);
}

// New points of a series, ordered by step. `replaces`: they replace the points received before.
struct SeriesPoints {
  SeriesKey key;
  std::vector<ScalarPoint> points;
  bool replaces = false;
};

struct DatasetRow {
  QString name, source, target;  // languages
  qint64 trainPairs = 0;
  qint64 version = 1;

  bool operator==(const DatasetRow&) const = default;
};

// The recordings of one step of a run.
struct StepRecordings : RecordedStep {
  qint64 runId = 0, step = 0;
};

struct LogLine {
  double time = 0;  // seconds since the Unix epoch
  QString level, text;
};

}  // namespace strata::ui

Q_DECLARE_METATYPE(strata::ui::RunRow)
