#pragma once
#include <QByteArray>
#include <QMap>
#include <QString>

namespace strata::ui {

// How a window looked when it was closed: <workspace>/ui/session.json with its predecessor as
// session.json.bak. Each holds a digest of itself, because a layout with a flipped bit ends the
// window, or never ends, when Qt restores it.
struct Session {
  static constexpr int kVersion =
      1;  // of the panels' arrangement; states of another version are not restored

  QByteArray geometry;
  QString perspective;                // empty: the first
  QMap<QString, QByteArray> layouts;  // QMainWindow::saveState of each perspective
  QMap<QString, QByteArray> panels;   // what panels keep of how they are looked at, by name
  QString theme;                      // "light", "dark", "system"; empty: not chosen
  int unclean = 0;                    // how often in a row the window did not come to its end
  bool restoring = false;  // a start began to restore it and was not seen to survive that
};

// The session of a workspace: the file, else its .bak, else the default. Never throws: damage means
// the default.
Session loadSession(const QString& workspace);

// Replaces the file in one step and keeps the one before as .bak where that is sound. Throws Error.
void saveSession(const QString& workspace, const Session& session);

}  // namespace strata::ui
