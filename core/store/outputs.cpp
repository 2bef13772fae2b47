#include "core/store/outputs.h"

#include <sstream>

#include "core/base/digest.h"
#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/text_limits.h"

namespace strata {
namespace {

fs::path fileOf(const fs::path& runFolder, const OutputKey& key, const char* extension) {
  const std::string stem = fmt::format("{}.{}.{}", key.set, key.checkpoint, key.decode);
  return pathInside(runFolder, fs::path("outputs") / (stem + extension));
}

std::string linesText(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  return text;
}

// The lines of a file if its digest matches; none otherwise.
std::optional<std::vector<std::string>> linesOf(const fs::path& path, const Json& digest) {
  if (!fs::exists(path)) return {};
  const std::string text = readFile(path);
  if (Json(digestOf(text)) != digest) return {};
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

}  // namespace

std::optional<StoredOutput> findOutput(const fs::path& runFolder, const OutputKey& key) {
  const fs::path file = fileOf(runFolder, key, ".json");
  if (!fs::exists(file)) return {};
  try {
    const Json json = readJson(file);
    if (json.at("digests") != key.digests) return {};
    const auto tokens = linesOf(fileOf(runFolder, key, ".tokens"), json.at("tokens"));
    const auto text = linesOf(fileOf(runFolder, key, ".txt"), json.at("text"));
    if (!tokens || !text) return {};
    return StoredOutput{.key = key,
                        .tokens = *tokens,
                        .text = *text,
                        .seconds = json.at("seconds"),
                        .settings = json.at("settings"),
                        .scores = json.at("scores")};
  } catch (const Error&) {
    return {};
  } catch (const nlohmann::json::exception&) {
    return {};
  }
}

void writeOutput(const fs::path& runFolder, const StoredOutput& output) {
  const std::string tokens = linesText(output.tokens), text = linesText(output.text);
  writeFileAtomic(fileOf(runFolder, output.key, ".tokens"), tokens);
  writeFileAtomic(fileOf(runFolder, output.key, ".txt"), text);
  const Json json{{"format", "strata-output"},
                  {"format_version", 1},
                  {"set", output.key.set},
                  {"checkpoint", output.key.checkpoint},
                  {"decode", output.key.decode},
                  {"digests", output.key.digests},
                  {"sentences", output.tokens.size()},
                  {"tokens", digestOf(tokens)},
                  {"text", digestOf(text)},
                  {"seconds", output.seconds},
                  {"settings", output.settings},
                  {"scores", output.scores}};
  writeFileAtomic(fileOf(runFolder, output.key, ".json"), json.dump(2) + "\n");
}

}  // namespace strata
