#include "ui/window/session.h"

#include <optional>

#include "core/base/files.h"
#include "core/base/json.h"
#include "ui/data/text.h"

namespace strata::ui {
namespace {

fs::path sessionFile(const QString& workspace) {
  return fs::path(toStd(workspace)) / "ui" / "session.json";
}
fs::path backupFile(const QString& workspace) {
  return fs::path(toStd(workspace)) / "ui" / "session.json.bak";
}

std::string encoded(const QByteArray& bytes) {
  return bytes.toBase64().toStdString();
}

QByteArray decoded(const Json& json, const char* key) {
  return QByteArray::fromBase64(QByteArray::fromStdString(json.value(key, "")));
}

std::optional<Session> readSession(const fs::path& file) {
  try {
    const Json json = parseJson(readFile(file), file.string());
    if (json.value("version", 0) != Session::kVersion) return std::nullopt;
    Session session;
    session.geometry = decoded(json, "geometry");
    session.perspective = qs(json.value("perspective", ""));
    session.theme = qs(json.value("theme", ""));
    session.unclean = json.value("unclean", 0);
    for (const auto& [name, state] : json.at("layouts").items()) {
      session.layouts.insert(
          qs(name), QByteArray::fromBase64(QByteArray::fromStdString(state.get<std::string>())));
    }
    return session;
  } catch (const std::exception&) {
    return std::nullopt;  // absent or damaged
  }
}

}  // namespace

Session loadSession(const QString& workspace) {
  if (auto session = readSession(sessionFile(workspace))) return *session;
  return readSession(backupFile(workspace)).value_or(Session{});
}

void saveSession(const QString& workspace, const Session& session) {
  const fs::path file = sessionFile(workspace);
  if (readSession(file)) writeFileAtomic(backupFile(workspace), readFile(file));
  Json layouts = Json::object();
  for (auto it = session.layouts.begin(); it != session.layouts.end(); ++it)
    layouts[toStd(it.key())] = encoded(it.value());
  const Json json{{"version", Session::kVersion},
                  {"geometry", encoded(session.geometry)},
                  {"perspective", toStd(session.perspective)},
                  {"theme", toStd(session.theme)},
                  {"unclean", session.unclean},
                  {"layouts", layouts}};
  writeFileAtomic(file, json.dump(2) + "\n");
}

}  // namespace strata::ui
