#include "ui/window/palette_entries.h"

#include <QAction>
#include <QCoreApplication>
#include <QPointer>

#include "ui/data/text.h"
#include "ui/panels/panel.h"
#include "ui/style/plain_text.h"
#include "ui/style/theme.h"
#include "ui/window/panel_list.h"

namespace strata::ui {

QList<PaletteEntry> paletteEntries(const QList<QAction*>& commands, const QVector<RunRow>& runs,
                                   PanelList* panels) {
  QList<PaletteEntry> entries;
  const QString group = translated(QT_TRANSLATE_NOOP("strata::ui", "Commands"));
  for (QAction* action : commands) {
    if (action->isSeparator() || action->text().isEmpty() || !action->isEnabled()) continue;
    entries << PaletteEntry{.group = group,
                            .text = shownEntry(action->text()),
                            .detail = action->shortcut().toString(QKeySequence::NativeText),
                            .icon = action->icon(),
                            .run = [action = QPointer<QAction>(action)] {
                              if (action) action->trigger();
                            }};
  }
  for (const RunRow& run : newestFirst(runs)) {
    entries << PaletteEntry{.group = translated(QT_TRANSLATE_NOOP("strata::ui", "Runs")),
                            .text = run.name,
                            .detail = qs(nameOf(run.status)),
                            .icon = themedIcon(QStringLiteral("runs")),
                            .run = [panels, id = run.id] {
                              panels->select({.drawn = QVector<qint64>{id}, .run = id});
                            }};
  }
  for (Panel* panel : panels->all()) entries += panel->findable();
  return entries;
}

}  // namespace strata::ui
