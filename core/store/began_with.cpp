#include "core/store/began_with.h"

#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/text_limits.h"
#include "core/store/index.h"

namespace strata {
namespace {

constexpr const char* kBeganWithFile = "began_with.json";

// Of a folder in that of one of the workspace's runs.
std::optional<BeganWith> inOwnRun(const Workspace& workspace, const fs::path& model) {
  const fs::path inside = model.lexically_relative(fs::canonical(workspace.root()));
  auto part = inside.begin();
  if (part == inside.end() || (*part != "runs" && *part != "trash")) return {};
  if (++part == inside.end()) return {};
  const auto run = runIdOf(part->string());
  if (!run) return {};
  BeganWith found{.run = run, .model = {}};
  while (++part != inside.end()) found.model /= *part;
  return found;
}

}  // namespace

void recordBeginning(const Workspace& workspace, const fs::path& runFolder, const fs::path& model) {
  const fs::path absolute = fs::canonical(model);
  const BeganWith from =
      inOwnRun(workspace, absolute).value_or(BeganWith{.run = {}, .model = absolute});
  Json json{{"model", from.model.string()}};
  if (from.run) json["run"] = *from.run;
  writeFileAtomic(runFolder / kBeganWithFile, json.dump(2) + "\n");
}

std::optional<BeganWith> beginningOf(const fs::path& runFolder) {
  const fs::path file = runFolder / kBeganWithFile;
  if (!fs::exists(file)) return {};
  try {
    const Json json = readJson(file);
    BeganWith from{.run = {}, .model = json.at("model").get<std::string>()};
    if (json.contains("run")) from.run = json["run"].get<std::int64_t>();
    return from;
  } catch (const std::exception&) {  // unreadable, or not what recordBeginning writes
    return {};
  }
}

}  // namespace strata
