#include "core/store/merge_origin.h"

#include <fmt/format.h>

#include <random>

#include "core/base/digest.h"
#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/json.h"
#include "core/base/text_limits.h"
#include "core/store/event_log.h"
#include "core/store/left_out.h"

namespace strata {

void writeOrigin(const fs::path& runFolder, const MergeOrigin& origin) {
  const Json json{{"source", origin.source},        {"identity", origin.identity},
                  {"log_bytes", origin.bytes},      {"log_digest", origin.digest},
                  {"said_bytes", origin.said},      {"here_bytes", origin.here},
                  {"brought", Json(origin.brought)}};
  writeFileAtomic(runFolder / kMergeOrigin, json.dump(2) + "\n");
}

MergeOrigin readOrigin(const fs::path& runFolder) {
  const fs::path file = runFolder / kMergeOrigin;
  const Json json = readJson(file);
  try {
    const std::uint64_t bytes = json.at("log_bytes");
    return {.source = json.at("source"),
            .identity = json.value("identity", ""),
            .bytes = bytes,
            .digest = json.value("log_digest", ""),
            .said = json.value("said_bytes", std::uint64_t{0}),
            .here = json.value("here_bytes", bytes),
            .brought = json.value("brought", decltype(MergeOrigin::brought){})};
  } catch (const nlohmann::json::exception& error) {
    throw Error("{} does not say where a run came from: {}", file.string(), error.what());
  }
}

std::string newIdentity() {
  std::random_device random;
  std::string digits;
  for (int part = 0; part < 4; ++part) digits += fmt::format("{:08x}", random());
  return digits;
}

std::string identityOf(const fs::path& log) {
  const auto first = firstRecord(log);
  if (!first) return "";
  if (first->kind == RecordKind::kEvent) {
    const Json event = tryParseJson(first->payload).value_or(nullptr);
    if (event.is_object() && event.contains("identity") && event["identity"].is_string())
      return event["identity"];
  }
  return "first record " + digestOf(first->payload);
}

}  // namespace strata
