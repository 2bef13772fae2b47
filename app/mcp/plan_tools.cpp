// What can be trained, and what it would take.
#include "app/mcp/planned_config.h"
#include "app/mcp/schema.h"
#include "app/mcp/tools.h"
#include "app/mcp/workspace_access.h"
#include "core/data/dataset.h"

namespace strata::mcp {
namespace {

Json toJson(const Dataset& dataset) {
  return {{"name", dataset.name()},
          {"version", dataset.version()},
          {"source_language", dataset.sourceLanguage()},
          {"target_language", dataset.targetLanguage()},
          {"source_vocabulary", dataset.sourceVocabularySize()},
          {"target_vocabulary", dataset.targetVocabularySize()},
          {"sets", jsonList(dataset.sets(), [](const EvaluationSet& set) {
             return Json{{"name", set.name}, {"test", set.test}, {"sentences", set.sentences}};
           })}};
}

Tool datasetsTool(const std::filesystem::path& root) {
  return {.name = "list_datasets",
          .title = "List datasets",
          .description =
              "Lists the prepared parallel corpora that runs can be trained on: languages, sizes "
              "of vocabularies, validation and test sets.",
          .input = argumentsSchema(Json::object()),
          .output = resultSchema(
              {{"datasets", listSchema({{"type", "object"}}, "By name, newest version first")},
               {"problems", listSchema({{"type", "string"}}, "What could not be read")}},
              {"datasets", "problems"}),
          .run = [root](const ToolCall& call) {
            RequestParams("list_datasets", call.arguments).done();
            const Workspace workspace = openExisting(root);
            const DatasetList list = listDatasets(workspace.datasetsFolder());
            return Json{{"datasets",
                         jsonList(list.datasets, [](const Dataset& each) { return toJson(each); })},
                        {"problems", list.damaged}};
          }};
}

Tool presetsTool(const std::shared_ptr<Engine>& engine) {
  return {.name = "list_presets",
          .title = "List built-in configurations",
          .description =
              "Lists the built-in configurations (presets) that runs start from: systems of "
              "published papers, their baselines, and recipes for small data and CPUs.",
          .input = argumentsSchema({{"filter", textSchema("Only names that contain this text")}}),
          .output = resultSchema({{"presets", listSchema({{"type", "object"}}, "By paper")}},
                                 {"presets"}),
          .run = [engine](const ToolCall& call) {
            RequestParams params("list_presets", call.arguments);
            const std::string filter = params.text("filter", "");
            params.done();
            const auto reply = serve::PresetsReply::read(
                engine->call("presets", serve::PresetsRequest{}.json(), call.stop));
            Json presets = Json::array();
            for (const auto& each : reply.presets) {
              if (each.name.find(filter) == std::string::npos) continue;
              presets.push_back(
                  {{"name", each.name}, {"paper", each.paper}, {"description", each.description}});
            }
            return Json{{"presets", std::move(presets)}};
          }};
}

Tool planTool(const std::filesystem::path& root, const std::shared_ptr<Engine>& engine) {
  return {.name = "plan_run",
          .title = "Check a run before it starts",
          .description =
              "Checks a configuration and its data without starting anything, and estimates "
              "parameters, memory and time; returns the complete configuration, too. Takes some "
              "seconds, since it computes a few updates.",
          .input = argumentsSchema(plannedProperties(), {"preset", "dataset"}),
          .output = resultSchema(
              {{"config", {{"type", "object"}}}, {"parameters", {{"type", "integer"}}}},
              {"config", "parameters"}),
          .run = [root, engine](const ToolCall& call) {
            RequestParams params("plan_run", call.arguments);
            Workspace workspace = openExisting(root);
            const auto request = plannedRequest(params, workspace);
            params.done();
            return dryRun(*engine, request, call);
          }};
}

}  // namespace

std::vector<Tool> planTools(const std::filesystem::path& workspace,
                            std::shared_ptr<Engine> engine) {
  return {presetsTool(engine), datasetsTool(workspace), planTool(workspace, engine)};
}

}  // namespace strata::mcp
