#pragma once
#include <QObject>
#include <QStringList>
#include <QVector>

#include "ui/data/values.h"

class QUndoStack;

namespace strata::ui {
class WorkspaceService;

// The user's changes of a run's name, tags and place, which can be undone, and a look into its
// folder.
class RunCommands : public QObject {
  Q_OBJECT
 public:
  explicit RunCommands(WorkspaceService* workspace, QObject* parent = nullptr);

  QUndoStack* undoStack() const { return undo_; }

  void setRuns(const QVector<RunRow>& runs) { runs_ = runs; }
  void rename(qint64 run, const QString& name);
  void toggleTag(const QVector<qint64>& runs, const QString& tag);
  void setTrashed(const QVector<qint64>& runs, bool into);  // or out of the trash
  void openFolder(const QString& folder);

 signals:
  void trashed(int runs);  // into the trash, not out of it

 private:
  WorkspaceService* workspace_;
  QUndoStack* undo_;
  QVector<RunRow> runs_;
};

}  // namespace strata::ui
