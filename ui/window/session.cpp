#include "ui/window/session.h"

#include <optional>

#include "core/base/digest.h"
#include "core/base/files.h"
#include "core/base/json.h"
#include "core/base/text_limits.h"
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

QByteArray decoded(const std::string& text) {
  return QByteArray::fromBase64(QByteArray::fromStdString(text));
}

QMap<QString, QByteArray> decodedMap(const Json& json) {
  QMap<QString, QByteArray> map;
  for (const auto& [name, state] : json.items())
    map.insert(qs(name), decoded(state.get<std::string>()));
  return map;
}

Json encodedMap(const QMap<QString, QByteArray>& map) {
  Json json = Json::object();
  for (auto it = map.begin(); it != map.end(); ++it) json[toStd(it.key())] = encoded(it.value());
  return json;
}

// Covers all other keys as written.
std::string digestOfSession(Json json) {
  json.erase("digest");
  return digestOf(json.dump());
}

std::optional<Session> readSession(const fs::path& file) {
  try {
    const Json json = readJson(file);
    const int version = json.value("version", 0);
    if (version < 1 || version > Session::kVersion ||
        json.value("digest", "") != digestOfSession(json))
      return std::nullopt;
    Session session;
    session.geometry = decoded(json.value("geometry", ""));
    session.perspective = qs(json.value("perspective", ""));
    session.theme = qs(json.value("theme", ""));
    session.unclean = json.value("unclean", 0);
    session.restoring = json.value("restoring", false);
    const auto layouts = decodedMap(json.at("layouts"));
    if (version == Session::kVersion) session.layouts = layouts;
    session.panels = decodedMap(json.value("panels", Json::object()));
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
  Json json{{"version", Session::kVersion},
            {"geometry", encoded(session.geometry)},
            {"perspective", toStd(session.perspective)},
            {"theme", toStd(session.theme)},
            {"unclean", session.unclean},
            {"restoring", session.restoring},
            {"layouts", encodedMap(session.layouts)},
            {"panels", encodedMap(session.panels)}};
  json["digest"] = digestOfSession(json);
  writeFileAtomic(file, json.dump(2) + "\n");
}

}  // namespace strata::ui
