#pragma once
#include <QKeySequence>
#include <QVector>

#include "ui/widgets/tabs.h"

class QToolButton;

namespace strata::ui {
class Panel;

// Explains the view that has the focus, in the window and in windows of single views.
QKeySequence explainKeys();

// Panels behind tabs, with buttons for the panel in front: explain it, pin it, open it in a window
// of its own.
// A double click on a tab lets it fill the page.
class ViewTabs : public Tabs {
  Q_OBJECT
 public:
  ViewTabs(const QVector<Panel*>& panels, QWidget* parent);

  const QVector<Panel*>& panels() const { return panels_; }  // at home here, in default order
  Panel* front() const;                                      // null: all are in windows
  void insert(Panel* panel);                                 // at the end
  void take(Panel* panel);                                   // out of the tabs
  void sortLike(const QStringList& names);                   // tabs in this order, others last
  QStringList order() const;

 signals:
  void windowRequested(strata::ui::Panel* panel);
  void fillToggled(strata::ui::Panel* panel);

 private:
  QWidget* makeCorner();
  void updateCorner();
  void showPin(const Panel* panel);

  QVector<Panel*> panels_;
  QToolButton *explain_, *pin_, *window_;
};

// A top-level window that holds one panel until it is closed.
class PanelWindow : public QWidget {
  Q_OBJECT
 public:
  PanelWindow(Panel* panel, const QRect& geometry, QWidget* parent);
  Panel* panel() const { return panel_; }

 signals:
  void closed(strata::ui::Panel* panel);

 protected:
  void closeEvent(QCloseEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;

 private:
  Panel* panel_;
};

}  // namespace strata::ui
