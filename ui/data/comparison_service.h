#pragma once
#include <QObject>
#include <QString>
#include <QStringList>
#include <QThread>
#include <atomic>
#include <functional>
#include <memory>

#include "core/compare/comparison_filter.h"
#include "ui/data/comparison_values.h"

namespace strata {
class Workspace;
}

namespace strata::ui {

// Lists, compares, filters, imports and exports on its own thread. The latest requested comparison
// and the latest filter win: earlier ones are not computed, or not answered.
class ComparisonService : public QObject {
  Q_OBJECT
 public:
  explicit ComparisonService(const QString& workspace, QObject* parent = nullptr);
  ~ComparisonService() override;

  void list();
  void compare(const CompareRequest& request);
  void filter(const ComparisonPointer& comparison, const SentenceFilter& filter);
  void importSystem(const NewSystem& system);
  void importTestSet(const NewTestSet& set);
  void trashSystem(const QString& id);
  void restoreTrashed(const TrashedItem& item);
  // The newest system of this name, or scores of a system, in the trash: to undo.
  void restoreSystem(const QString& name);
  void trashScores(const QString& system, const QString& metric);
  void restoreScores(const QString& system, const QString& metric);
  void previewScores(const ScoresRequest& request);
  void importScores(const ScoresRequest& request);
  void exportTo(const ComparisonPointer& comparison, const ExportTarget& target);

 signals:
  void listed(const strata::ui::SystemsList& systems);
  void compared(const strata::ui::ComparisonPointer& comparison);
  void compareFailed(const QString& message);
  void filtered(const strata::FilteredScores& scores);
  void filterFailed(const QString& message);
  void imported(const QString& name, const QStringList& warnings);  // a system
  void testSetImported(const QString& id);
  void scoresPreviewed(const strata::ui::ScoresPreview& preview);
  void scoresImported(const QString& metric, int systems);
  void importFailed(const QString& message);  // of a system, a test set or scores
  void exported(const QString& path);
  void exportFailed(const QString& message);
  void failed(const QString& message);  // of tasks without an answer signal

 private:
  // Runs `task` on the thread; exceptions go to `report`.
  void post(std::function<void(Workspace&)> task,
            void (ComparisonService::*report)(const QString& message) = &ComparisonService::failed);
  Workspace& workspace();  // on the thread

  QString root_;
  QThread thread_;
  QObject* worker_;                             // lives in thread_
  std::unique_ptr<Workspace> workspace_;        // used on the thread only
  std::atomic<int> comparison_{0}, filter_{0};  // the latest request
};

}  // namespace strata::ui
