#pragma once
#include <QString>
#include <QStringList>
#include <QVector>
#include <QtGlobal>
#include <vector>

#include "core/run/averaged_models.h"
#include "core/run/checkpoint_files.h"
#include "core/run/settings.h"
#include "core/store/disk_use.h"
#include "core/store/runs.h"

namespace strata::ui {

// Everything about a run that its row does not have.
struct RunInspection {
  RunSummary run;
  qint64 other = 0;   // the run that it is compared with; 0: none
  QString otherName;  // empty: none
  std::vector<Setting> settings;
  // From the other run, as `runs diff` prints them: what it is, its value here and there.
  QVector<QStringList> differences;
  std::vector<RunStart> starts;             // oldest first
  std::vector<CheckpointInfo> checkpoints;  // ascending steps
  std::vector<AveragedModel> averages;      // of its checkpoints
  DiskUse disk;
  std::string from;                   // what its first parameters were; empty: random numbers
  std::vector<StoredSample> samples;  // the newest
};
RunInspection inspectRun(Workspace& workspace, qint64 run, qint64 other);

}  // namespace strata::ui
