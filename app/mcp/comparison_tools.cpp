// Stored translations of test sets: their scores, and how systems compare.
#include <fmt/format.h>

#include "app/commands/system_json.h"
#include "app/mcp/schema.h"
#include "app/mcp/tools.h"
#include "app/mcp/workspace_access.h"
#include "core/base/error.h"
#include "core/base/progress.h"
#include "core/compare/comparison.h"
#include "core/report/comparison_export.h"
#include "core/report/comparison_tables.h"
#include "core/run/request_params.h"
#include "core/systems/scorer_case.h"
#include "core/systems/stored_comparison.h"

namespace strata::mcp {
namespace {

Json listTranslations(const std::filesystem::path& root, const ToolCall& call) {
  RequestParams params("list_translations", call.arguments);
  const std::string set = params.text("set", "");
  const bool withScores = params.flag("scores", true);
  params.done();
  Workspace workspace = openExisting(root);
  std::vector<std::string> problems;
  const auto sets = listTestSets(workspace, &problems);
  StoredSystems all = listSystems(workspace, set.empty() ? "" : findTestSet(workspace, set).id);
  problems.insert(problems.end(), all.problems.begin(), all.problems.end());
  Json translations = Json::array();
  SystemScores scores(workspace);
  for (const StoredSystem& system : all.systems) {
    checkCancelled(call.stop);
    try {
      Json json = toJson(system);
      if (withScores) json["scores"] = scores.of(system);
      translations.push_back(std::move(json));
    } catch (const Error& error) {
      problems.emplace_back(error.what());
    }
    call.progress(static_cast<double>(translations.size()), static_cast<double>(all.systems.size()),
                  system.name);
  }
  return {{"translations", std::move(translations)},
          {"test_sets", jsonList(sets, [](const TestSet& each) { return toJson(each); })},
          {"problems", problems}};
}

StoredComparison comparisonOf(Workspace& workspace, RequestParams& params) {
  const TestSet set = findTestSet(workspace, params.text("set"));
  const StoredSystems all = listSystems(workspace, set.id);
  const std::vector<std::string> names = params.texts("systems");
  StoredComparison comparison{.testSet = set.id, .systems = {}};
  comparison.state = params.flag("tokens") ? TextState::kTokens : TextState::kRaw;
  comparison.options.metrics = params.texts("metrics");
  if (comparison.options.metrics.empty()) comparison.options.metrics = {"bleu"};
  comparison.options.test =
      significanceTestNamed(params.choice("significance", {"bootstrap", "randomization"}));
  const std::string baseline = params.text("baseline", "");
  params.done();
  for (const std::string& name : names) comparison.systems.push_back(findSystem(all, name));
  if (names.empty()) comparison.systems = all.systems;
  if (comparison.systems.empty())
    throw usageError("no translations of {} are stored: there is nothing to compare", set.id);
  comparison.options.of.setLowercase(ignoreCase(workspace, comparison.systems));
  if (!baseline.empty()) comparison.options.baseline = findSystem(all, baseline).name;
  return comparison;
}

Json compareTranslations(const std::filesystem::path& root, const ToolCall& call) {
  RequestParams params("compare_translations", call.arguments);
  Workspace workspace = openExisting(root);
  const Comparison comparison =
      compareSystems(comparisonInput(workspace, comparisonOf(workspace, params)));
  Json json = toJson(comparison);
  json["notes"] = comparisonNotes(comparison);
  // Long tables, which `strata-run compare` writes.
  for (const char* part : {"buckets", "ngrams", "oracle", "word_accuracy"}) json.erase(part);
  return json;
}

Json differenceSchema() {
  return resultSchema(
      {{"metric", {{"type", "string"}}},
       {"baseline", {{"type", "string"}}},
       {"system", {{"type", "string"}}},
       {"difference", numberSchema("Score of the system minus that of the baseline")},
       {"low", numberSchema("Lower end of the 95 % confidence interval of the difference")},
       {"high", numberSchema("Its upper end")},
       {"p_value", numberSchema("Of the hypothesis that the two do not differ")},
       {"p_holm", numberSchema("Corrected for the number of systems (Holm)")}},
      {"metric", "baseline", "system", "difference", "low", "high", "p_value", "p_holm"});
}

Tool listSystemsTool(const std::filesystem::path& root) {
  return {.name = "list_translations",
          .title = "List translations and their scores",
          .description =
              "Lists the stored translations of test sets, by runs of the workspace and by other "
              "toolkits, with BLEU, chrF and TER (computed as sacreBLEU does), and the test sets.",
          .input = argumentsSchema({{"set", textSchema("Only of this test set, such as demo/test")},
                                    {"scores", flagSchema("With scores (default true)")}}),
          .output = resultSchema(
              {{"translations", listSchema({{"type", "object"}}, "One per system and test set")},
               {"test_sets", listSchema({{"type", "object"}}, "Those that systems can translate")},
               {"problems", listSchema({{"type", "string"}}, "What could not be read")}},
              {"translations", "test_sets", "problems"}),
          .run = [root](const ToolCall& call) { return listTranslations(root, call); }};
}

Tool compareTool(const std::filesystem::path& root) {
  const Json text{{"type", "string"}};
  return {.name = "compare_translations",
          .title = "Compare systems on a test set",
          .description =
              "Compares stored translations of one test set: each system's scores with 95 % "
              "confidence intervals, its difference from a baseline with interval and p-value "
              "(significance), and means over runs that differ only in their random seed (groups). "
              "The figures are those of `strata-run compare`.",
          .input = argumentsSchema(
              {{"set", textSchema("The test set, as list_translations gives it: demo/test")},
               {"systems", listSchema(text,
                                      "Names of systems or runs as list_translations gives "
                                      "them (default: all of the set)")},
               {"baseline", textSchema("What the others are compared with (default: the first)")},
               {"metrics", listSchema(text,
                                      "bleu, chrf, ter, multi-bleu, nist, ... or imported "
                                      "scores such as COMET (default: bleu)")},
               {"tokens", flagSchema("Compare tokenized instead of plain text (default false)")},
               {"significance", choiceSchema({"bootstrap", "randomization"},
                                             "The significance test (default: bootstrap)")}},
              {"set"}),
          .output = resultSchema(
              {{"test_set", text},
               {"sentences", {{"type", "integer"}}},
               {"baseline", text},
               {"systems", listSchema({{"type", "object"}}, "Scores by metric")},
               {"significance", listSchema(differenceSchema(), "One per metric and system")}},
              {"test_set", "sentences", "baseline", "systems", "significance"}),
          .run = [root](const ToolCall& call) { return compareTranslations(root, call); }};
}

}  // namespace

std::vector<Tool> comparisonTools(const std::filesystem::path& workspace) {
  return {listSystemsTool(workspace), compareTool(workspace)};
}

}  // namespace strata::mcp
