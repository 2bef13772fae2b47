#pragma once
#include <QList>
#include <QVector>

#include "ui/data/values.h"
#include "ui/widgets/palette_entry.h"

class QAction;

namespace strata::ui {
class PanelList;

// What the command palette finds: enabled commands, runs (newest first), and what panels add.
QList<PaletteEntry> paletteEntries(const QList<QAction*>& commands, const QVector<RunRow>& runs,
                                   PanelList* panels);

}  // namespace strata::ui
