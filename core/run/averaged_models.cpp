#include "core/run/averaged_models.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/json.h"
#include "core/base/text_limits.h"

namespace strata {
namespace {
constexpr const char* kAverages = "averages";
constexpr const char* kStepsFile = "average.json";
}  // namespace

fs::path averagedModelFolder(const fs::path& runFolder, const std::vector<std::int64_t>& steps) {
  return runFolder / kAverages / fmt::format("steps-{}", fmt::join(steps, "-"));
}

void writeAverageSteps(const fs::path& folder, const std::vector<std::int64_t>& steps) {
  writeFileAtomic(folder / kStepsFile, Json{{"steps", steps}}.dump());
}

std::vector<AveragedModel> listAverages(const fs::path& runFolder) {
  std::vector<AveragedModel> models;
  const fs::path averages = runFolder / kAverages;
  if (!fs::exists(averages)) return models;
  for (const auto& entry : fs::directory_iterator(averages)) {
    const fs::path file = entry.path() / kStepsFile;
    if (entry.path().filename().string().starts_with('.') || !fs::exists(file))
      continue;  // not complete
    const auto json = tryParseJson(readFile(file));
    if (!json || !json->is_object() || !json->contains("steps")) continue;
    AveragedModel model{.folder = entry.path()};
    for (const Json& step : json->at("steps")) {
      if (step.is_number_integer()) model.steps.push_back(step.get<std::int64_t>());
    }
    models.push_back(std::move(model));
  }
  std::ranges::sort(models, {}, &AveragedModel::steps);
  return models;
}

void removeAverage(const fs::path& folder) {
  if (!fs::exists(folder / kStepsFile))
    throw Error("{} is not the average of checkpoints", folder.string());
  fs::remove_all(folder);
}

}  // namespace strata
