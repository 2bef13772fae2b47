#include "ui/window/panel_list.h"

#include <QAction>
#include <QDockWidget>
#include <QMainWindow>

#include "core/base/text_limits.h"
#include "ui/panels/panel.h"
#include "ui/style/theme.h"

namespace strata::ui {

PanelList::PanelList(const QVector<Panel*>& panels, QMainWindow* window) : QObject(window) {
  for (Panel* panel : panels) add(panel, window);
}

void PanelList::add(Panel* panel, QMainWindow* window) {
  auto* dock = new QDockWidget(panel->info().title, window);
  dock->setObjectName(panel->name() + QStringLiteral("Dock"));
  dock->setWidget(panel);
  QAction* toggle = dock->toggleViewAction();
  toggle->setObjectName(QStringLiteral("show:") + panel->name());
  toggle->setText(tr("Panel %1").arg(panel->info().title));
  toggle->setIcon(themedIcon(panel->info().icon));
  entries_ << Entry{panel, dock};
  connect(panel, &Panel::selected, this,
          [this, panel](const Selection& choice) { receive(panel, choice); });
}

QDockWidget* PanelList::dock(const QString& name) const {
  for (const Entry& entry : entries_) {
    if (entry.panel->name() == name) return entry.dock;
  }
  return nullptr;
}

void PanelList::select(const Selection& choice) {
  receive(nullptr, choice);
}

void PanelList::receive(const Panel* from, const Selection& choice) {
  selection_ = selection_.after(choice);
  for (const Entry& entry : entries_) {
    if (entry.panel != from) entry.panel->select(choice);
  }
}

QMap<QString, QByteArray> PanelList::saveStates() const {
  QMap<QString, QByteArray> states;
  for (const Entry& entry : entries_)
    states.insert(entry.panel->name(), QByteArray::fromStdString(entry.panel->saveState().dump()));
  return states;
}

void PanelList::restoreStates(const QMap<QString, QByteArray>& states) {
  for (const Entry& entry : entries_) {
    const QByteArray state = states.value(entry.panel->name());
    if (const auto json = tryParseJson(state.toStdString()); json && json->is_object())
      entry.panel->restoreState(*json);
  }
}

}  // namespace strata::ui
