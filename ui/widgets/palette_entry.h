#pragma once
#include <QIcon>
#include <QList>
#include <QString>
#include <functional>

namespace strata::ui {

// Something that the command palette finds: a command, a run, a preset, a setting.
struct PaletteEntry {
  QString group;        // its heading: "Runs"
  QString text;         // what is searched and shown
  QString detail = {};  // shown next to it, not searched: a shortcut, a status
  QIcon icon = {};
  std::function<void()> run;
};

}  // namespace strata::ui
