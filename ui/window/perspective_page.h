#pragma once
#include <QSplitter>
#include <QString>
#include <QStringList>
#include <QVector>

#include "core/base/json.h"

namespace strata::ui {
class Panel;
class PanelList;
class PanelWindow;
class ViewTabs;

// Panels behind tabs that lie next to each other; `size` in pixels of a stage of 1232x712.
struct PerspectiveArea {
  QStringList panels;
  int size = 1;
};

struct Perspective {
  QString name, icon, title, keys;
  Qt::Orientation orientation = Qt::Horizontal;
  QVector<PerspectiveArea> areas = {};
};

// One perspective of the stage.
class PerspectivePage : public QSplitter {
  Q_OBJECT
  using Panel = ui::Panel;  // not QFrame's

 public:
  PerspectivePage(const Perspective& perspective, PanelList* panels, QWidget* parent);

  const QString& name() const { return name_; }
  bool has(const Panel* panel) const;
  Panel* first() const;  // the first panel in sight; if all are in windows, the first of all
  void bringUp(Panel* panel);
  void reset();

  void setFills(Panel* panel, bool fills);
  bool fills(const Panel* panel) const;
  void setInWindow(Panel* panel, bool own);
  bool isInWindow(const Panel* panel) const;

  // {"sizes": [pixels], "tabs": [[panel]], "front": [panel], "windows": {panel: [x, y, w, h]}}
  Json saveState() const;
  void restoreState(const Json& state);

 protected:
  void showEvent(QShowEvent* event) override;
  void hideEvent(QHideEvent* event) override;

 private:
  void setShown(bool shown);
  ViewTabs* areaOf(const Panel* panel) const;
  PanelWindow* windowOf(const Panel* panel) const;
  void openWindow(Panel* panel, const QRect& geometry);
  void hideEmptyAreas();

  QString name_;
  QVector<int> sizes_;        // by default
  QVector<ViewTabs*> areas_;  // children
  QVector<PanelWindow*> windows_;
};

}  // namespace strata::ui
