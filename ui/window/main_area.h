#pragma once
#include <QSplitter>

#include "core/base/json.h"

class QAction;

namespace strata::ui {
class Inspector;
class PanelList;
class RunRail;
struct Services;

// What is between the menu and the status bar: the rail of runs at the left, the stage, and the
// inspector, which lies over the right of the stage in a narrow window and beside it in a wide one.
class MainArea : public QSplitter {
  Q_OBJECT
 public:
  static constexpr int kRailWidth = 224, kInspectorWidth = 300, kWide = 1500;  // pixels

  MainArea(const Services& services, PanelList* panels, QWidget* stage, QWidget* parent);

  RunRail* rail() const { return rail_; }
  Inspector* inspector() const { return inspector_; }
  QAction* railAction() const { return showRail_; }            // checked while it is visible
  QAction* inspectorAction() const { return showInspector_; }  // likewise
  bool isInspectorOver() const;  // the stage, or it would be if it were visible

  Json saveState() const;
  void restoreState(const Json& state);

 signals:
  void notice(const QString& message);  // not an error
  void failed(const QString& message);
  void commandCopied(const QStringList& arguments);

 private:
  class Right;  // stage and inspector

  void makeActions();
  void connectRail(const Services& services, PanelList* panels);
  void connectInspector(const Services& services, PanelList* panels);
  void connectCheckpoints(const Services& services);

  RunRail* rail_;
  Inspector* inspector_;
  Right* right_;
  QAction *showRail_, *showInspector_;
};

}  // namespace strata::ui
