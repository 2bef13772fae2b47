#pragma once
#include <QByteArray>
#include <QMap>
#include <QString>

namespace strata::ui {

// The window's layout when it was closed: <workspace>/ui/session.json, with the previous one as
// session.json.bak. Each contains a digest of itself, because restoring a corrupted layout can make
// Qt crash or hang.
struct Session {
  static constexpr int kVersion = 2;  // of the layout; states of another version are not restored

  QByteArray geometry;
  QString perspective;                // empty: the first
  QMap<QString, QByteArray> layouts;  // JSON of each perspective
  QMap<QString, QByteArray> panels;   // view state of each panel, by name
  QString theme;                      // "light", "dark", "system"; empty: not chosen
  int unclean = 0;                    // consecutive sessions that did not close properly
  bool restoring = false;             // a start began to restore it and has not yet completed
};

// The session of a workspace: the file, else its .bak, else the default. Never throws: damaged
// files count as absent.
Session loadSession(const QString& workspace);

// Replaces the file atomically and keeps the previous one as .bak if it is valid. Throws Error.
void saveSession(const QString& workspace, const Session& session);

}  // namespace strata::ui
