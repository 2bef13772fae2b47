#include "ui/window/perspective_page.h"

#include <algorithm>

#include "ui/data/saved_state.h"
#include "ui/data/text.h"
#include "ui/panels/panel.h"
#include "ui/window/panel_list.h"
#include "ui/window/view_tabs.h"

namespace strata::ui {
namespace {

constexpr int kSmallestWindow = 200, kLargestWindow = 16000;  // pixels, of a saved state

// Where a window was; invalid: it was not open, or the numbers are none of a window.
QRect savedGeometry(const SavedState& windows, const QString& panel) {
  const auto numbers = windows.numbers(toStd(panel).c_str());
  if (!numbers || numbers->size() != 4) return {};
  const auto within = [](qint64 value, int lowest) {
    return value >= lowest && value <= kLargestWindow;
  };
  const bool good =
      within((*numbers)[0], -kLargestWindow) && within((*numbers)[1], -kLargestWindow) &&
      within((*numbers)[2], kSmallestWindow) && within((*numbers)[3], kSmallestWindow);
  if (!good) return {};
  return {int((*numbers)[0]), int((*numbers)[1]), int((*numbers)[2]), int((*numbers)[3])};
}

}  // namespace

PerspectivePage::PerspectivePage(const Perspective& perspective, PanelList* panels, QWidget* parent)
    : QSplitter(perspective.orientation, parent), name_(perspective.name) {
  setObjectName(QStringLiteral("page:") + name_);
  setHandleWidth(1);
  setChildrenCollapsible(false);
  for (const PerspectiveArea& area : perspective.areas) {
    QVector<Panel*> members;
    for (const QString& name : area.panels) members << panels->panel(name);
    auto* tabs = new ViewTabs(members, this);
    connect(tabs, &ViewTabs::windowRequested, this,
            [this](Panel* panel) { setInWindow(panel, true); });
    connect(tabs, &ViewTabs::fillToggled, this,
            [this](Panel* panel) { setFills(panel, !fills(panel)); });
    addWidget(tabs);
    areas_ << tabs;
    sizes_ << area.size;
  }
  setSizes(sizes_);
  for (int area = 0; area < int(sizes_.size()); ++area) setStretchFactor(area, sizes_[area]);
}

ViewTabs* PerspectivePage::areaOf(const Panel* panel) const {
  const auto found = std::find_if(areas_.begin(), areas_.end(), [panel](const ViewTabs* area) {
    return area->panels().contains(panel);
  });
  return found == areas_.end() ? nullptr : *found;
}

PanelWindow* PerspectivePage::windowOf(const Panel* panel) const {
  const auto found =
      std::find_if(windows_.begin(), windows_.end(),
                   [panel](const PanelWindow* window) { return window->panel() == panel; });
  return found == windows_.end() ? nullptr : *found;
}

bool PerspectivePage::has(const Panel* panel) const {
  return areaOf(panel) != nullptr;
}

bool PerspectivePage::isInWindow(const Panel* panel) const {
  return windowOf(panel) != nullptr;
}

void PerspectivePage::showEvent(QShowEvent* event) {
  QSplitter::showEvent(event);
  setShown(true);
}

void PerspectivePage::hideEvent(QHideEvent* event) {
  QSplitter::hideEvent(event);
  setShown(false);
}

// Views work for each other: also for those that are behind others, or in windows.
void PerspectivePage::setShown(bool shown) {
  for (const ViewTabs* area : areas_) {
    for (Panel* panel : area->panels()) panel->setPageShown(shown);
  }
}

Panel* PerspectivePage::first() const {
  for (const ViewTabs* area : areas_) {
    if (!area->isHidden() && area->front()) return area->front();
  }
  return areas_.first()->panels().first();
}

void PerspectivePage::bringUp(Panel* panel) {
  if (PanelWindow* window = windowOf(panel)) {
    window->show();
    window->raise();
    window->activateWindow();
    return;
  }
  ViewTabs* area = areaOf(panel);
  if (area->isHidden()) hideEmptyAreas();  // another one fills the page
  area->setCurrentWidget(panel);
}

void PerspectivePage::setFills(Panel* panel, bool fills) {
  if (isInWindow(panel)) return;
  hideEmptyAreas();
  if (!fills) return;
  ViewTabs* only = areaOf(panel);
  only->setCurrentWidget(panel);
  for (ViewTabs* area : areas_) area->setVisible(area == only);
}

bool PerspectivePage::fills(const Panel* panel) const {
  const ViewTabs* own = areaOf(panel);
  const auto shown = std::count_if(areas_.begin(), areas_.end(),
                                   [](const ViewTabs* area) { return !area->isHidden(); });
  const auto filled = std::count_if(areas_.begin(), areas_.end(),
                                    [](const ViewTabs* area) { return area->count() > 0; });
  return shown == 1 && filled > 1 && !own->isHidden() && own->front() == panel;
}

void PerspectivePage::hideEmptyAreas() {
  for (ViewTabs* area : areas_) area->setVisible(area->count() > 0);
}

void PerspectivePage::setInWindow(Panel* panel, bool own) {
  PanelWindow* window = windowOf(panel);
  if (own == (window != nullptr)) return;
  if (own) {
    openWindow(panel, {});
    return;
  }
  windows_.removeOne(window);
  areaOf(panel)->insert(panel);
  hideEmptyAreas();
  window->deleteLater();
}

void PerspectivePage::openWindow(Panel* panel, const QRect& geometry) {
  areaOf(panel)->take(panel);
  auto* opened = new PanelWindow(panel, geometry, window());
  connect(opened, &PanelWindow::closed, this,
          [this](Panel* closed) { setInWindow(closed, false); });
  windows_ << opened;
  hideEmptyAreas();
  opened->show();
}

void PerspectivePage::reset() {
  const QVector<PanelWindow*> windows = windows_;
  for (PanelWindow* window : windows) setInWindow(window->panel(), false);
  for (ViewTabs* area : areas_) {
    QStringList names;
    for (const Panel* panel : area->panels()) names << panel->name();
    area->sortLike(names);
    area->setCurrentIndex(0);
  }
  hideEmptyAreas();
  setSizes(sizes_);
}

Json PerspectivePage::saveState() const {
  Json tabs = Json::array(), windows = Json::object();
  QStringList fronts;
  for (const ViewTabs* area : areas_) {
    tabs.push_back(jsonOf(area->order()));
    fronts << (area->front() ? area->front()->name() : QString());
  }
  for (const PanelWindow* window : windows_) {
    const QRect at = window->geometry();
    windows[toStd(window->panel()->name())] = {at.x(), at.y(), at.width(), at.height()};
  }
  const QList<int> now = sizes();
  return {{"sizes", jsonOf(QVector<qint64>(now.begin(), now.end()))},
          {"tabs", tabs},
          {"front", jsonOf(fronts)},
          {"windows", windows}};
}

void PerspectivePage::restoreState(const Json& state) {
  reset();
  const SavedState saved(state);
  const auto fronts = saved.texts("front");
  const Json tabs = state.is_object() ? state.value("tabs", Json::array()) : Json::array();
  const SavedState windows(state.is_object() ? state.value("windows", Json::object()) : Json());
  for (int number = 0; number < int(areas_.size()); ++number) {
    ViewTabs* area = areas_[number];
    const Json order =
        tabs.is_array() && number < int(tabs.size()) ? tabs[std::size_t(number)] : Json();
    area->sortLike(SavedState(Json{{"tabs", order}}).texts("tabs").value_or(QStringList()));
    for (Panel* panel : area->panels()) {
      const QRect geometry = savedGeometry(windows, panel->name());
      if (geometry.isValid()) openWindow(panel, geometry);
      if (fronts && number < fronts->size() && (*fronts)[number] == panel->name())
        area->setCurrentWidget(panel);
    }
  }
  const auto sizes = saved.numbers("sizes");
  if (sizes && sizes->size() == areas_.size()) setSizes({sizes->begin(), sizes->end()});
}

}  // namespace strata::ui
