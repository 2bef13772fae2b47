#pragma once
#include <QStringList>
#include <QtGlobal>
#include <exception>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>

#include "core/store/runs.h"
#include "core/store/workspace.h"
#include "ui/data/values.h"

namespace strata::ui {

// Completes the rows of runs with what the index does not hold: checkpoints and recordings. Reads
// that again only for runs that may have changed.
class RunRows {
 public:
  // Receives errors in the recordings of a run, which do not hide the other runs.
  using Report = std::function<void(const std::exception&)>;
  explicit RunRows(Report report) : report_(std::move(report)) {}

  RunRow rowOf(Workspace& workspace, const RunSummary& summary);
  // Whether the folder of a run has gone, or come back, since its row was read.
  bool changedFolders() const;
  // The newest row of a run; null: it has not been read.
  const RunRow* find(qint64 run) const;

 private:
  // What a run records, as far as panels draw it.
  struct RecordedNames {
    bool hops = false;
    QStringList history;  // see RunRow::historyNames
  };
  // Names never change, so they are read once.
  struct Known {
    RunRow row;
    std::optional<RecordedNames> recorded;  // set once it has recorded
  };

  void addRecordings(Workspace& workspace, RunRow& row);
  const RecordedNames& recordedBy(qint64 run, const std::filesystem::path& recordings);

  Report report_;
  std::map<qint64, Known> known_;
};

}  // namespace strata::ui
