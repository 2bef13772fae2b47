#pragma once
#include <QMenu>
#include <QStringList>

namespace strata::ui {

// A menu of the workspaces that were opened last, the newest first, which are kept in a file of the
// user. Those that are gone, and the one of this window, are not in the menu.
class RecentWorkspaces : public QMenu {
  Q_OBJECT
 public:
  static constexpr int kMost = 10;

  // Enters `current`. `file`: empty if none are kept.
  RecentWorkspaces(const QString& file, const QString& current, QWidget* parent = nullptr);

 signals:
  void chosen(const QString& folder);

 private:
  QStringList read() const;
  void enter();
  void fill();

  QString file_, current_;
};

}  // namespace strata::ui
