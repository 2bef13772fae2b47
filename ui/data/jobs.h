#pragma once
#include <QMetaType>
#include <QString>
#include <limits>
#include <optional>

#include "core/store/run_activity.h"

namespace strata::ui {

enum class JobKind { kTraining, kTranslation, kPreparing, kImport, kExport, kDemo, kComputation };

enum class JobProgress { kQueued, kRunning, kCancelling, kFailed };

// Something that goes on: a training run, a translation of a set, an import, ...
struct JobRow {
  qint64 id = 0;  // negative: a training run's, -run
  JobKind kind = JobKind::kTraining;
  QString name = {};
  JobProgress state = JobProgress::kRunning;
  double share = std::numeric_limits<double>::quiet_NaN();  // 0 .. 1; NaN: unknown
  QString detail = {};                 // "12 of 1,000 sentences", "step 300 of 2,000"
  std::optional<TimeRange> left = {};  // empty: unknown
  QString basis = {};                  // what `left` rests on
  qint64 run = 0;                      // 0: it concerns none
  QString device = {};                 // that it runs on, or is to run on; empty: not known
  bool canCancel = false;
  QString error = {};  // why it failed

  bool isRunning() const {
    return state == JobProgress::kRunning || state == JobProgress::kCancelling;
  }
};

QString titleOf(JobKind kind);  // "training", ...
QString iconOf(JobKind kind);   // of resources/icons

}  // namespace strata::ui
