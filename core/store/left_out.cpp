#include "core/store/left_out.h"

#include <algorithm>
#include <vector>

#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/text_limits.h"

namespace strata {
namespace {

constexpr const char* kLeftOutFile = "left_out.json";  // ["checkpoints/step-00000100", ...]

std::vector<std::string> entriesOf(const fs::path& runFolder) {
  const fs::path file = runFolder / kLeftOutFile;
  if (!fs::exists(file)) return {};
  try {
    return readJson(file).get<std::vector<std::string>>();
  } catch (const Json::exception&) {
    throw Error("{} is not a list of names: remove it, and the next merge brings back everything",
                file.string());
  }
}

void writeEntries(const fs::path& runFolder, const std::vector<std::string>& entries) {
  writeFileAtomic(runFolder / kLeftOutFile, Json(entries).dump(2) + "\n");
}

}  // namespace

void leaveOut(const fs::path& folder) {
  const fs::path run = folder.parent_path().parent_path();
  if (!fs::exists(run / kMergeOrigin)) return;
  auto entries = entriesOf(run);
  const std::string entry = folder.lexically_relative(run).string();
  if (std::ranges::find(entries, entry) != entries.end()) return;
  entries.push_back(entry);
  writeEntries(run, entries);
}

std::set<std::string> leftOut(const fs::path& runFolder, const std::string& part) {
  std::set<std::string> names;
  for (const fs::path entry : entriesOf(runFolder)) {
    if (entry.parent_path() == part) names.insert(entry.filename().string());
  }
  return names;
}

void forgetLeftOut(const fs::path& runFolder, const fs::path& source) {
  auto entries = entriesOf(runFolder);
  const auto gone =
      std::erase_if(entries, [&](const std::string& entry) { return !fs::exists(source / entry); });
  if (gone > 0) writeEntries(runFolder, entries);
}

}  // namespace strata
