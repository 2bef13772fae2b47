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
#include "ui/plots/series.h"

namespace strata::ui {

// What the window shows of a run. Values only: they are copied from the reader thread to the GUI
// thread.
struct RunRow {
  qint64 id = 0;
  QString name,
      status;  // status as the store names it: queued, running, finished, interrupted, ...
  QString preset, dataset;
  QString metric;  // the series that best and last are of
  double best = std::numeric_limits<double>::quiet_NaN(), last = best;
  qint64 bestStep = -1, lastStep = -1;  // -1: no value yet
  qint64 step = 0;                      // updates done
  double tokensPerSecond = 0;           // the newest; 0: not known
  double seconds = 0;                   // of training
  qint64 seed = 0;
  QStringList tags;
  QString message;  // why it failed or was interrupted
  QString pending;  // a command that waits for the run's acknowledgement: "stop", "pause", ...
  QString folder;   // absolute
  bool trashed = false;
  double created = 0;            // seconds since the Unix epoch
  bool hasCheckpoint = false;    // it can translate
  QVector<qint64> fusionSteps;   // steps with recordings of hop weights, ascending; empty: none
  bool decoderEmbedding = true;  // level 0 of its decoder fusion is the embedding
  QVector<qint64> historySteps;  // steps with recordings of target-side attention, ascending
  QStringList historyNames;      // of the recordings that its picture is made of

  bool isRunning() const { return status == QLatin1String("running"); }
  bool waits() const {  // nothing of it can be seen yet
    return status == QLatin1String("queued") || status == QLatin1String("created");
  }
  // The process is alive, or is about to be.
  bool isActive() const { return isRunning() || status == QLatin1String("queued"); }
};
bool operator==(const RunRow& a, const RunRow& b);

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

// New points of a series, in the order of their steps. `replaces`: the series starts anew with
// them.
struct SeriesPoints {
  SeriesKey key;
  std::vector<ScalarPoint> points;
  bool replaces = false;
};

struct DatasetRow {
  QString name, source, target;  // languages
  qint64 trainPairs = 0;
};

// The recordings of one step of a run.
struct StepRecordings : RecordedStep {
  qint64 runId = 0, step = 0;
};

// One translation of one sentence with what its decoder did.
struct RecordedHypothesis {
  SentenceRecordings sentence;
  double score = 0;  // as the search sorts by
};

struct LogLine {
  double time = 0;  // seconds since the Unix epoch
  QString level, text;
};

}  // namespace strata::ui

Q_DECLARE_METATYPE(strata::ui::RunRow)
