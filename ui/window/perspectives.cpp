#include "ui/window/perspectives.h"

#include <QAction>
#include <QActionGroup>
#include <QDockWidget>
#include <QMainWindow>
#include <QVector>
#include <algorithm>
#include <utility>

#include "ui/style/theme.h"
#include "ui/window/panel_list.h"
#include "ui/window/session.h"

namespace strata::ui {

// Tabs of panels, of which the first is in front.
struct PerspectiveArea {
  QStringList shown;
  QStringList hidden = {};  // tabs shown here on request
  int size = 1;             // in pixels of a window of 1280x800
};

// Areas next to each other. Panels that none of them names are hidden tabs of the first.
struct Perspective {
  QString name, title, keys;  // its icon has its name
  Qt::Orientation orientation;
  QVector<PerspectiveArea> areas;
};

namespace {

const QString kWatch = QStringLiteral("watch");

const QVector<Perspective>& allPerspectives() {
  static const QVector<Perspective> all{
      {QStringLiteral("launch"),
       Perspectives::tr("Launch"),
       Perspectives::tr("Ctrl+1"),
       Qt::Vertical,
       {{{QStringLiteral("launch")}, {QStringLiteral("gradient-flow")}, 500},
        {{QStringLiteral("runs")}, {QStringLiteral("log")}, 220}}},
      {kWatch,
       Perspectives::tr("Watch"),
       Perspectives::tr("Ctrl+2"),
       Qt::Vertical,
       {{{QStringLiteral("curves"), QStringLiteral("gradient-flow")}, {}, 500},
        {{QStringLiteral("runs"), QStringLiteral("log")}, {}, 220}}},
      {QStringLiteral("inside"),
       Perspectives::tr("Look inside"),
       Perspectives::tr("Ctrl+3"),
       Qt::Horizontal,
       {{{QStringLiteral("hop-weights"), QStringLiteral("target-attention")}, {}, 740},
        {{QStringLiteral("translate")}, {}, 440}}},
      {QStringLiteral("compare"),
       Perspectives::tr("Compare"),
       Perspectives::tr("Ctrl+4"),
       Qt::Horizontal,
       {{{QStringLiteral("compare")}}}}};
  return all;
}

const Perspective& perspectiveNamed(const QString& name) {
  const QVector<Perspective>& all = allPerspectives();
  const auto found = std::ranges::find(all, name, &Perspective::name);
  return found != all.end() ? *found : *std::ranges::find(all, kWatch, &Perspective::name);
}

}  // namespace

Perspectives::Perspectives(PanelList* panels, QMainWindow* window)
    : QObject(window), window_(window), panels_(panels), actions_(new QActionGroup(this)) {
  for (const Perspective& perspective : allPerspectives()) addAction(perspective);
  connect(actions_, &QActionGroup::triggered, this,
          [this](QAction* action) { show(action->data().toString()); });
}

void Perspectives::addAction(const Perspective& perspective) {
  auto* action = new QAction(themedIcon(perspective.name), perspective.title, window_);
  action->setObjectName(QStringLiteral("perspective:") + perspective.name);
  action->setShortcut(QKeySequence(perspective.keys));
  action->setCheckable(true);
  action->setData(perspective.name);
  actions_->addAction(action);
  window_->addAction(action);
}

QList<QAction*> Perspectives::actions() const {
  return actions_->actions();
}

void Perspectives::show(const QString& wanted) {
  const Perspective& perspective = perspectiveNamed(wanted);
  if (perspective.name == current_) return;
  layouts_ = layouts();
  current_ = perspective.name;
  for (QAction* action : actions()) action->setChecked(action->data().toString() == current_);
  arrange(perspective);  // restoreState leaves unknown docks alone, so start from a valid layout
  const QByteArray saved = layouts_.value(current_);
  if (!saved.isEmpty() && !window_->restoreState(saved, Session::kVersion)) arrange(perspective);
}

void Perspectives::reset() {
  arrange(perspectiveNamed(current_));
}

QMap<QString, QByteArray> Perspectives::layouts() const {
  QMap<QString, QByteArray> layouts = layouts_;
  if (!current_.isEmpty()) layouts[current_] = window_->saveState(Session::kVersion);
  return layouts;
}

void Perspectives::restore(const QMap<QString, QByteArray>& layouts) {
  layouts_ = layouts;
  if (current_.isEmpty()) return;
  const QString wanted = std::exchange(current_, QString());
  show(wanted);
}

void Perspectives::arrange(const Perspective& perspective) {
  for (const PanelList::Entry& entry : panels_->entries()) {
    entry.dock->setFloating(false);
    window_->removeDockWidget(entry.dock);
  }
  const QList<QDockWidget*> fronts = arrangeFronts(perspective);
  for (int area = 0; area < int(fronts.size()); ++area)
    addTabs(fronts[area], perspective.areas[area]);
  for (const PanelList::Entry& entry : panels_->entries()) {
    if (window_->dockWidgetArea(entry.dock) != Qt::NoDockWidgetArea) continue;
    window_->tabifyDockWidget(fronts.first(), entry.dock);
    entry.dock->hide();
  }
  fronts.first()->raise();
}

// Without tabs yet: a dock with tabs cannot be split.
QList<QDockWidget*> Perspectives::arrangeFronts(const Perspective& perspective) {
  QList<QDockWidget*> fronts;
  QList<int> sizes;
  for (const PerspectiveArea& area : perspective.areas) {
    QDockWidget* front = panels_->dock(area.shown.first());
    if (fronts.isEmpty()) {
      window_->addDockWidget(Qt::LeftDockWidgetArea, front);
    } else {
      window_->splitDockWidget(fronts.last(), front, perspective.orientation);
    }
    front->show();
    fronts << front;
    sizes << area.size;
  }
  if (fronts.size() > 1) window_->resizeDocks(fronts, sizes, perspective.orientation);
  return fronts;
}

void Perspectives::addTabs(QDockWidget* front, const PerspectiveArea& area) {
  for (const QString& name : area.shown.mid(1) + area.hidden) {
    QDockWidget* tab = panels_->dock(name);
    window_->tabifyDockWidget(front, tab);
    tab->setVisible(area.shown.contains(name));
  }
  front->raise();
}

}  // namespace strata::ui
