#include "app/starting_point.h"

#include "app/server/loaded_models.h"
#include "core/base/error.h"
#include "core/store/runs.h"
#include "core/train/checkpoint.h"

namespace strata {

std::optional<std::filesystem::path> readStartingPoint(const TrainingSetup& setup,
                                                       Workspace& workspace,
                                                       TranslationModel& model) {
  const std::string& from = setup.spec.training.from;
  if (from.empty()) return {};
  const bool isFolder =
      !isRun(workspace, from.substr(0, from.rfind('@'))) && std::filesystem::is_directory(from);
  const FoundModel start =
      LoadedModels({.workspace = workspace.root()})
          .find(isFolder ? ModelChoice{.model = from} : ModelChoice{.run = from});
  std::optional<TextPipeline> text;
  if (!start.textFolder.empty()) text = TextPipeline::load(start.textFolder);
  for (const Side side : {Side::kSource, Side::kTarget}) {
    if (!text || text->vocabulary(side).sameWords(setup.text->vocabulary(side))) continue;
    throw usageError(
        "training.from: {} was trained with another {} vocabulary than that of the dataset {}; "
        "prepare both datasets with the same codes and vocabularies",
        from, side == Side::kSource ? "source" : "target", setup.dataset.name());
  }
  readParameters(start.folder, model);
  return start.folder;
}

}  // namespace strata
