#include "ui/data/imported_runs.h"

#include <QCoreApplication>

#include "core/store/imported.h"
#include "ui/data/text.h"

namespace strata::ui {

QString importedFrom(const RunRow& run) {
  const std::string preset = toStd(run.preset);
  const std::string_view tool = strata::importedFrom(preset);
  return tool.empty() ? QString() : qs(titleOfTool(tool));
}

QString importedLackOf(const RunRow& run) {
  const QString tool = importedFrom(run);
  if (tool.isEmpty()) return {};
  return QCoreApplication::translate("ImportedRuns", "%1 was imported from %2 and has no model.")
      .arg(run.name, tool);
}

void ImportedRuns::setRuns(const QVector<RunRow>& all) {
  lacks_.clear();
  for (const RunRow& run : all) {
    if (const QString lack = importedLackOf(run); !lack.isEmpty()) lacks_.insert(run.id, lack);
  }
}

}  // namespace strata::ui
