#include "ui/window/session_keeper.h"

#include <QDir>
#include <QFileInfo>
#include <QTimer>
#include <utility>

namespace strata::ui {
namespace {
constexpr int kUncleanStarts = 2;  // after this many the layout is restored on request only
}

SessionKeeper::SessionKeeper(QString workspace, bool keep, QObject* parent)
    : QObject(parent), workspace_(std::move(workspace)), keep_(keep) {
  if (!keep_) return;
  saved_ = loadSession(workspace_);
  const QString folder = workspace_ + QStringLiteral("/ui");
  QDir().mkpath(folder);
  auto lock = std::make_unique<QLockFile>(folder + QStringLiteral("/session.lock"));
  lock->setStaleLockTime(0);  // held as long as its process lives
  if (lock->tryLock() || lock->error() != QLockFile::LockFailedError) lock_ = std::move(lock);
  keep_ = lock_ != nullptr && lock_->error() != QLockFile::PermissionError &&
          QFileInfo(folder).isWritable();
}

SessionKeeper::Restore SessionKeeper::restore() const {
  if (keep_ && saved_.restoring) return Restore::kNotAfterRestoring;
  return keep_ && saved_.unclean >= kUncleanStarts ? Restore::kNotAfterCrashes : Restore::kAll;
}

void SessionKeeper::countStart() {
  if (!keep_) return;
  Session started = saved_;
  if (saved_.restoring) {
    started.layouts.clear();
    started.geometry.clear();
  }
  ++started.unclean;
  started.restoring =
      restore() == Restore::kAll && (!started.layouts.isEmpty() || !started.geometry.isEmpty());
  write(started);
  if (!started.restoring) return;
  started.restoring = false;
  QTimer::singleShot(0, this, [this, started] {
    if (!closed_) write(started);
  });
}

void SessionKeeper::save(Session session) {
  closed_ = true;
  // A workspace that was removed meanwhile is not created again.
  if (!keep_ || !QFileInfo::exists(workspace_ + QStringLiteral("/ui"))) return;
  session.unclean = 0;
  session.restoring = false;
  try {
    saveSession(workspace_, session);
  } catch (const std::exception&) {
  }
}

void SessionKeeper::write(const Session& session) {
  try {
    saveSession(workspace_, session);
  } catch (const std::exception& error) {
    emit failed(QString::fromUtf8(error.what()));
  }
}

}  // namespace strata::ui
