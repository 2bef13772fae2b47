#pragma once
#include <QFrame>
#include <QIcon>
#include <QVector>

class QLineEdit;
class QListView;
class QSortFilterProxyModel;
class QStandardItemModel;

namespace strata::ui {

// A list under a button from which one thing is chosen; typing filters it. Deletes itself when it
// closes.
class ChoicePopup : public QFrame {
  Q_OBJECT
 public:
  struct Item {
    QString text;
    QString detail = {};  // shown muted, also filtered
    QIcon icon = {};
  };

  ChoicePopup(const QVector<Item>& items, int current, QWidget* parent);  // current: -1 is none
  void setEmptyText(const QString& text);  // says why there is nothing to choose
  void openUnder(const QWidget* button);

 signals:
  void chosen(int index);  // of the items

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;  // of the filter line

 private:
  void choose(const QModelIndex& row);

  QLineEdit* filter_;
  QListView* list_;
  QStandardItemModel* model_;
  QSortFilterProxyModel* shown_;
};

}  // namespace strata::ui
