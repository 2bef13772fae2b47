#pragma once
#include <QStringList>
#include <QWidget>
#include <vector>

#include "core/systems/stored_systems.h"

class QLineEdit;
class QMenu;
class QStandardItemModel;
class QTreeView;
class QSortFilterProxyModel;

namespace strata::ui {

// Systems of one test set with a check mark each; one of the checked ones is the baseline.
class SystemList : public QWidget {
  Q_OBJECT
 public:
  explicit SystemList(QWidget* parent = nullptr);

  // Systems stay checked if they still exist; if none remains, or only one that the user did not
  // check, the newest of up to three groups are checked.
  void setSystems(const std::vector<StoredSystem>& systems);

  QStringList chosen() const;  // ids, in the list's order
  // An id: the one that the user chose, else the usual one of the papers' tables; empty: nothing is
  // checked.
  QString baseline() const;
  void choose(const QStringList& ids, const QString& baseline);
  void setBaseline(const QString& id);                  // checks it
  const StoredSystem* system(const QString& id) const;  // null: not in the list

  QTreeView* view() const { return view_; }

 signals:
  void changed();
  void trashRequested(const QString& id);  // imported systems only
  void trashScoresRequested(const QString& id, const QString& metric);

 protected:
  void contextMenuEvent(QContextMenuEvent* event) override;

 private:
  QString idAt(const QModelIndex& index) const;
  void itemChanged();
  void addScoresMenu(QMenu& menu, const StoredSystem& system);
  void chooseGroup(const StoredSystem& system);
  void mark();  // the baseline

  QLineEdit* search_;
  QTreeView* view_;
  QStandardItemModel* model_;
  QSortFilterProxyModel* filtered_;
  std::vector<StoredSystem> systems_;  // rows of the model
  QString baseline_;
  bool byUser_ = false;  // checked by the user: a single system is then kept as is
};

// The origin of a system in one line: "step 3604 · beam 5, mean" or "fairseq-generate · gen.out".
QString originText(const StoredSystem& system);

}  // namespace strata::ui
