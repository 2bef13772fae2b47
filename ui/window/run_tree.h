#pragma once
#include <QAbstractItemModel>
#include <QHash>
#include <QSet>
#include <limits>
#include <memory>
#include <vector>

#include "core/store/run_activity.h"
#include "ui/data/comparison_values.h"
#include "ui/data/drawn_runs.h"
#include "ui/data/values.h"

namespace strata::ui {

// The runs of the workspace as a tree, newest first. Runs that differ only in their seed are a
// group; a run has its checkpoints and its translations of test sets; systems of other toolkits are
// a group at the end.
class RunTree : public QAbstractItemModel {
  Q_OBJECT
 public:
  enum class Kind { kRoot, kGroup, kRun, kCheckpoint, kOutput, kImportedSystems, kSystem };
  enum Column { kName, kState, kColumns };

  struct Node {
    Kind kind = Kind::kRoot;
    QString key = {};                         // unique, the same while the thing exists
    QString text = {}, state = {}, tip = {};  // a run's tip is made when asked for
    double share = std::numeric_limits<double>::quiet_NaN();  // of a run that trains; NaN: unknown
    qint64 run = 0;                                           // of runs, checkpoints and outputs
    qint64 step = -1;                                         // of checkpoints
    QString testSet = {};                                     // of outputs and systems
    std::vector<std::unique_ptr<Node>> children = {};
    Node* parent = nullptr;
    int row = 0;
  };

  explicit RunTree(QObject* parent);
  ~RunTree() override;

  void setRuns(const QVector<RunRow>& runs);
  void setSystems(const SystemsList& systems);
  void setDrawn(const QVector<DrawnRun>& runs);
  // 0: none; an imported system in the place of a run.
  void setCurrent(qint64 run, qint64 other, const QString& system = {});
  void setActivity(const std::vector<RunActivity>& runs);  // how far the running ones are
  void setFilter(const QString& text);  // runs and systems whose name, preset, dataset or
                                        // tag contains it, with the groups they are in

  const Node* node(const QModelIndex& index) const;
  QModelIndex find(const QString& key) const;  // in column kName; invalid: it is not there
  QModelIndex findRun(qint64 run) const;
  QSet<QString> states() const;                    // texts of the second column, of runs and groups
  QStringList names() const;                       // of the first column, of what is at the top
  int runs() const { return int(shown_.size()); }  // that the filter lets through

  QModelIndex index(int row, int column, const QModelIndex& parent = {}) const override;
  QModelIndex parent(const QModelIndex& index) const override;
  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  Qt::ItemFlags flags(const QModelIndex& index) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  bool setData(const QModelIndex& index, const QVariant& value, int role) override;

 signals:
  void drawRequested(const QVector<qint64>& runs, bool drawn);  // by a click on the eye
  void aboutToRebuild();                                        // what follows is a model reset
  void rebuilt();
  void statesChanged();  // but nothing else

 private:
  void rebuild();
  void refresh(const QSet<qint64>& runs);  // what they do
  std::unique_ptr<Node> build() const;
  std::unique_ptr<Node> runNode(const RunRow& run, const QString& text) const;
  std::unique_ptr<Node> groupNode(const QVector<const RunRow*>& members) const;
  std::unique_ptr<Node> systemsNode() const;
  void announceAll();
  QString stateOf(const RunRow& run) const;
  QString shownState(const RunRow& run) const;  // with a mark of the other run
  double shareOf(const RunRow& run) const;
  const RunRow* row(qint64 run) const;  // null: it is not shown
  QString tipOf(const RunRow& run) const;
  bool matches(const RunRow& run) const;
  bool takeOver(Node* present, Node* fresh);  // texts; false: the trees differ
  QVector<qint64> runsBelow(const Node* node) const;
  bool isCurrent(const Node* node) const;
  Qt::CheckState drawnState(const Node* node) const;
  QVariant decoration(const Node* node) const;

  QVector<RunRow> runs_;  // newest first, none of the trash
  SystemsList systems_;
  QHash<qint64, QVector<const StoredSystem*>> outputs_;  // by run
  QHash<qint64, int> lines_;                             // of drawn runs
  QHash<qint64, RunActivity> activity_;                  // of the running ones
  qint64 current_ = 0, other_ = 0;
  QString system_;
  QString filter_;
  QVector<const RunRow*> shown_;  // newest first
  std::unique_ptr<Node> root_;
};

}  // namespace strata::ui
