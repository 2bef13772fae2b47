#include "ui/window/recent_workspaces.h"

#include <QFileInfo>

#include "core/base/files.h"
#include "core/base/json.h"
#include "core/base/text_limits.h"
#include "ui/data/saved_state.h"
#include "ui/data/text.h"
#include "ui/style/plain_text.h"

namespace strata::ui {

RecentWorkspaces::RecentWorkspaces(const QString& file, const QString& current, QWidget* parent)
    : QMenu(tr("Open a &recent workspace"), parent), file_(file), current_(current) {
  setObjectName(QStringLiteral("recentWorkspaces"));
  menuAction()->setVisible(!file.isEmpty());
  if (!file.isEmpty()) enter();
  connect(this, &QMenu::aboutToShow, this, &RecentWorkspaces::fill);
}

// A file that is missing or damaged holds none.
QStringList RecentWorkspaces::read() const {
  try {
    return SavedState(readJson(toStd(file_))).texts("workspaces").value_or(QStringList());
  } catch (const std::exception&) {
    return {};
  }
}

// A list that cannot be written is no reason to disturb: the workspace is open all the same.
void RecentWorkspaces::enter() {
  QStringList all = read();
  all.removeAll(current_);
  all.prepend(current_);
  try {
    const fs::path file = toStd(file_);
    fs::create_directories(file.parent_path());
    writeFileAtomic(file, Json{{"workspaces", jsonOf(all.mid(0, kMost))}}.dump(1));
  } catch (const std::exception&) {
    return;
  }
}

void RecentWorkspaces::fill() {
  clear();
  for (const QString& folder : read()) {
    if (folder == current_ || !QFileInfo(folder).isDir()) continue;
    connect(addAction(asEntry(folder)), &QAction::triggered, this,
            [this, folder] { emit chosen(folder); });
  }
  if (isEmpty()) addAction(tr("No other workspace was opened"))->setEnabled(false);
}

}  // namespace strata::ui
