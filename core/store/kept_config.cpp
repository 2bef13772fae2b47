#include "core/store/kept_config.h"

#include <spdlog/spdlog.h>

#include <optional>

#include "core/base/digest.h"
#include "core/base/files.h"
#include "core/base/text_limits.h"
#include "core/run/config.h"
#include "core/run/configuration_group.h"
#include "core/store/database.h"
#include "core/store/event_log.h"
#include "core/store/index.h"
#include "core/store/run_session.h"

namespace strata {
namespace {

struct Digests {
  std::string now, before;  // before: of the configuration that `now` replaced
};

Digests digestsOf(Workspace& workspace, std::int64_t run) {
  Query row(workspace.database(), "SELECT config_digest, config_before FROM runs WHERE id = ?",
            run);
  return row.next() ? Digests{row.text(0), row.text(1)} : Digests{};
}

// The configuration that the log has with this digest. Null: none.
Json recordedConfig(const fs::path& runFolder, const std::string& digest) {
  Json config;
  scanLog(eventLogOf(runFolder), 0, [&](RecordKind kind, std::string_view payload) {
    if (kind != RecordKind::kEvent || payload.find(digest) == std::string_view::npos) return;
    const Json event = tryParseJson(payload).value_or(nullptr);
    if (event.is_object() && event.value("config_digest", "") == digest && event.contains("config"))
      config = event.at("config");
  });
  return config;
}

void record(Workspace& workspace, const RunSummary& run, const std::string& text) {
  appendToRun(workspace, run.id, configEvent(runConfig(run), text, ConfigFile::kIsThere));
}

// What an edited file changes. Empty: nothing. None: nobody knows what it was.
std::optional<std::vector<std::string>> editsOf(const RunSummary& run, const std::string& digest) {
  const Json recorded = recordedConfig(run.folder, digest);
  if (recorded.is_null()) return {};
  return configurationDifferences(withNewKeys(recorded), runConfig(run));
}

[[noreturn]] void refuse(const RunSummary& run, const std::string& what) {
  throw ConfigEdited(
      "{} is not as the run '{}' was given it ({}): put it back, or take it as it is with `runs "
      "resume {} --accept-edited`",
      configFileOf(run.folder).string(), run.name, what, run.name);
}

}  // namespace

Json configEvent(const Json& config, const std::string& text, ConfigFile file) {
  return {{"type", "config"},
          {"time", nowSeconds()},
          {"config_digest", digestOf(text)},
          {"follows", file == ConfigFile::kFollows},
          {"config", config}};
}

void checkConfig(Workspace& workspace, const RunSummary& run) {
  const std::string text = readFile(configFileOf(run.folder));
  const std::string digest = digestOf(text);
  const Digests known = digestsOf(workspace, run.id);
  if (digest == known.now) return;
  if (known.now.empty()) {
    spdlog::info("run={}: {} had no digest: from now on it is noticed if it is edited", run.name,
                 configFileOf(run.folder).string());
    return record(workspace, run, text);
  }
  // Killed between log and file, which has the configuration before.
  if (digest == known.before) return record(workspace, run, text);
  std::optional<std::vector<std::string>> edits;
  try {
    edits = editsOf(run, known.now);
  } catch (const Error& error) {
    refuse(run, error.what());
  }
  if (!edits) refuse(run, "what it was is not recorded");
  if (!edits->empty()) refuse(run, differencesText(std::move(*edits)));
  record(workspace, run, text);  // only its layout
}

std::vector<std::string> acceptConfig(Workspace& workspace, const RunSummary& run) {
  const RunLock lock = takeRun(workspace, run.id);  // nobody is training it
  const std::string text = readFile(configFileOf(run.folder));
  const Digests known = digestsOf(workspace, run.id);
  if (digestOf(text) == known.now) return {};
  std::vector<std::string> edits;
  if (!known.now.empty()) edits = editsOf(run, known.now).value_or(std::vector<std::string>{});
  record(workspace, run, text);
  return edits;
}

}  // namespace strata
