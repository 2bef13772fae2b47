#include "app/mcp/planned_config.h"

#include <filesystem>

#include "app/mcp/schema.h"
#include "core/base/error.h"
#include "core/data/dataset.h"
#include "core/store/runs.h"

namespace strata::mcp {
namespace {

void checkOverride(Workspace& workspace, const std::string& text) {
  const auto equals = text.find('=');
  const std::string key = text.substr(0, equals);
  // `data` and `training` as a whole would set the same keys.
  if (key == "data" || key == "data.dataset")
    throw usageError("override '{}': name the dataset by the argument 'dataset'", text);
  if (key == "training")
    throw usageError("override '{}': give single keys, such as training.max_epochs=12", text);
  if (key != "training.from" || equals == std::string::npos) return;
  const Json parsed = parseYaml(text.substr(equals + 1), "override " + text).value;
  const std::string from = parsed.is_string() ? parsed.get<std::string>() : parsed.dump();
  const std::string run = from.substr(0, from.rfind('@'));
  if (isRun(workspace, run)) return;
  if (from.find('/') != std::string::npos || std::filesystem::exists(from))
    throw usageError("override '{}': only a run of the workspace can be started from, not a folder",
                     text);
  findRun(workspace, run);  // says that there is none
}

}  // namespace

serve::DryRunRequest plannedRequest(RequestParams& params, Workspace& workspace) {
  serve::DryRunRequest request{.preset = params.text("preset"),
                               .dataset = params.text("dataset"),
                               .overrides = params.texts("overrides")};
  checkDatasetName(request.dataset.substr(0, request.dataset.find('@')), "dataset");
  Dataset::open(workspace.datasetsFolder(), request.dataset);
  for (const std::string& each : request.overrides) checkOverride(workspace, each);
  return request;
}

Json plannedProperties() {
  return {{"preset", textSchema("A built-in configuration, as list_presets names them; several "
                                "separated by commas are applied in order")},
          {"dataset", textSchema("A dataset of the workspace, as list_datasets names them")},
          {"overrides", listSchema({{"type", "string"}},
                                   "Settings that differ from the preset: KEY=VALUE, such as "
                                   "training.max_epochs=12, seed=3, model.embed_dim=128")}};
}

Json dryRun(Engine& engine, const serve::DryRunRequest& request, const ToolCall& call) {
  Json reply = engine.call("dryRun", request.json(), call.stop);
  for (const char* drawn : {"network", "learningRate", "batches"}) reply.erase(drawn);
  return reply;
}

}  // namespace strata::mcp
