#pragma once
#include <QLockFile>
#include <QObject>
#include <memory>

#include "ui/window/session.h"

namespace strata::ui {

// The session of a window from its start to its end: counts starts that were not closed properly,
// so that a layout that makes Qt crash is not restored again and again.
class SessionKeeper : public QObject {
  Q_OBJECT
 public:
  enum class Restore {
    kAll,
    kNotAfterRestoring,  // the last start did not survive restoring its layout
    kNotAfterCrashes,    // the last starts ended without being closed
  };

  // keep: read and write the session; otherwise it is the default and stays in memory. Of several
  // windows of one workspace the first writes it.
  SessionKeeper(QString workspace, bool keep, QObject* parent);

  const Session& saved() const { return saved_; }  // as read
  Restore restore() const;

  // Before the layout is restored: the next start then knows about a crash. The mark is removed
  // once the window has been shown.
  void countStart();
  // Replaces the saved session by the window's at its end. Never throws: if the disk is full or
  // gone, the next start uses the previous one.
  void save(Session session);

 signals:
  void failed(const QString& message);

 private:
  void write(const Session& session);

  QString workspace_;
  bool keep_;
  std::unique_ptr<QLockFile> lock_;  // null: another window writes the session
  bool closed_ = false;
  Session saved_;
};

}  // namespace strata::ui
