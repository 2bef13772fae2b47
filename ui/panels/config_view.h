#pragma once
#include <QSortFilterProxyModel>
#include <QWidget>

class QAction;
class QCheckBox;
class QLabel;
class QLineEdit;
class QTreeView;

namespace strata::ui {
class ConfigModel;

// Shows the keys whose name or help contains a text, or only those that differ from the preset.
class ConfigFilter : public QSortFilterProxyModel {
  Q_OBJECT
 public:
  using QSortFilterProxyModel::QSortFilterProxyModel;
  void setText(const QString& text);
  void setOnlyChanged(bool on);

 protected:
  bool filterAcceptsRow(int row, const QModelIndex& parent) const override;

 private:
  QString text_;
  bool onlyChanged_ = false;
};

// The configuration form: a filter, the tree of keys with editors that fit their types, and the
// help of the current key.
class ConfigView : public QWidget {
  Q_OBJECT
 public:
  explicit ConfigView(ConfigModel* model, QWidget* parent = nullptr);
  QTreeView* tree() const { return tree_; }
  void showKey(const QString& path);  // selects its value and takes the focus

 signals:
  void keyChosen(const QString& path);

 protected:
  void resizeEvent(QResizeEvent* event) override;

 private:
  void showHelp();
  void fitColumns();

  ConfigModel* model_;
  ConfigFilter* filter_;
  QTreeView* tree_;
  QLineEdit* text_;
  QCheckBox* onlyChanged_;
  QLabel* help_;
};

}  // namespace strata::ui
