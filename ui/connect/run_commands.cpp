#include "ui/connect/run_commands.h"

#include <QDesktopServices>
#include <QUndoStack>
#include <QUrl>
#include <functional>
#include <utility>

#include "ui/data/workspace_service.h"

namespace strata::ui {
namespace {

// Replaces one value by another; undo restores it.
template <typename Value>
class SetValue : public QUndoCommand {
 public:
  SetValue(const QString& text, Value before, Value after, std::function<void(const Value&)> set)
      : QUndoCommand(text),
        before_(std::move(before)),
        after_(std::move(after)),
        set_(std::move(set)) {}

  void redo() override { set_(after_); }
  void undo() override { set_(before_); }

 private:
  Value before_, after_;
  std::function<void(const Value&)> set_;
};

}  // namespace

RunCommands::RunCommands(WorkspaceService* workspace, QObject* parent)
    : QObject(parent), workspace_(workspace), undo_(new QUndoStack(this)) {}

void RunCommands::rename(qint64 run, const QString& name) {
  const RunRow* now = findRun(runs_, run);
  if (!now || now->name == name) return;
  undo_->push(
      new SetValue<QString>(tr("Rename %1").arg(now->name), now->name, name,
                            [this, run](const QString& value) { workspace_->rename(run, value); }));
}

void RunCommands::toggleTag(const QVector<qint64>& runs, const QString& tag) {
  undo_->beginMacro(tr("Tag with %1").arg(tag));
  for (const qint64 run : runs) {
    const RunRow* now = findRun(runs_, run);
    if (!now) continue;
    QStringList tags = now->tags;
    if (!tags.removeOne(tag)) tags << tag;
    undo_->push(new SetValue<QStringList>(
        {}, now->tags, tags,
        [this, run](const QStringList& value) { workspace_->setTags(run, value); }));
  }
  undo_->endMacro();
}

void RunCommands::setTrashed(const QVector<qint64>& runs, bool into) {
  undo_->beginMacro(into ? tr("Move to the trash") : tr("Restore from the trash"));
  for (const qint64 run : runs) {
    undo_->push(new SetValue<bool>(
        {}, !into, into, [this, run](const bool& value) { workspace_->setTrashed(run, value); }));
  }
  undo_->endMacro();
  if (into) emit trashed(int(runs.size()));
}

void RunCommands::openFolder(const QString& folder) {
  QDesktopServices::openUrl(QUrl::fromLocalFile(folder));
}

}  // namespace strata::ui
