#include "app/commands/systems_scores.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <spdlog/spdlog.h>

#include <cmath>
#include <memory>
#include <ranges>

#include "app/commands/listing.h"
#include "core/base/error.h"
#include "core/report/table.h"
#include "core/systems/imported_scores.h"

namespace strata {
namespace {

struct ScoresOptions {
  std::string file, set, system, of, metric, model, scale, format;
  std::string scoreColumn, textColumn, systemColumn, idColumn;
  bool lower = false, higher = false, dryRun = false;
};

// The file with what the user says of its metric.
ScoreFile fileOf(const ScoresOptions& options) {
  ScoreFileOptions how{.scoreColumn = options.scoreColumn,
                       .textColumn = options.textColumn,
                       .systemColumn = options.systemColumn,
                       .idColumn = options.idColumn};
  if (!options.format.empty()) how.format = options.format;
  ScoreFile file = readScoreFile(options.file, how);
  if (!options.metric.empty()) file.metric.metric = options.metric;
  if (!options.model.empty()) file.metric.model = options.model;
  if (!options.scale.empty()) file.metric.scale = scoreScaleNamed(options.scale);
  if (options.lower || options.higher) file.metric.higherIsBetter = options.higher;
  return file;
}

std::string listName(const ScoreList& list) {
  return list.name.empty() ? "(without a name)" : list.name;
}

// One list of the file and the system that gets it.
struct Assignment {
  const ScoreList* list;
  StoredSystem system;
};

std::string namesOf(const ScoreFile& file) {
  return fmt::format("{}", fmt::join(file.systems | std::views::transform(listName), ", "));
}

const ScoreList& chosenList(const ScoreFile& file, const ScoresOptions& options,
                            const StoredSystem& system) {
  if (!options.of.empty()) {
    const auto found = std::ranges::find(file.systems, options.of, &ScoreList::name);
    if (found != file.systems.end()) return *found;
    throw usageError("{} has no system '{}'; it has {}", options.file, options.of, namesOf(file));
  }
  const auto matched = matchScores(file, {system});
  for (std::size_t i = 0; i < matched.size(); ++i) {
    if (matched[i]) return file.systems[i];
  }
  if (file.systems.size() == 1) return file.systems.front();  // is refused with the difference
  throw usageError("none of the systems of {} is {}: choose one by --of; it has {}", options.file,
                   system.name, namesOf(file));
}

std::vector<Assignment> assignments(const ScoreFile& file, const ScoresOptions& options,
                                    const StoredSystems& all) {
  std::vector<Assignment> made;
  if (!options.system.empty()) {
    const StoredSystem system = findSystem(all, options.system);
    made.push_back({&chosenList(file, options, system), system});
    return made;
  }
  const auto matched = matchScores(file, all.systems);
  for (std::size_t i = 0; i < matched.size(); ++i) {
    if (matched[i]) made.push_back({&file.systems[i], all.systems[*matched[i]]});
  }
  if (!made.empty()) return made;
  throw usageError(
      "no system of {} has the texts or the name of one in {} ({}): name the system by --system",
      options.set, options.file, namesOf(file));
}

Json toJson(const ImportedMetricInfo& metric) {
  return {{"metric", metric.metric},
          {"model", metric.model},
          {"name", metric.name()},
          {"higher_is_better", metric.higherIsBetter},
          {"scale", nameOf(metric.scale)}};
}

Json toJson(const StoredSystem& system, const ScoreList& list) {
  return {{"system", system.name},           {"id", system.id},           {"list", list.name},
          {"sentences", list.values.size()}, {"missing", list.missing()}, {"mean", list.mean()}};
}

void importFile(const GlobalOptions& global, const ScoresOptions& options) {
  Workspace workspace = openFresh(global);
  const TestSet set = findTestSet(workspace, options.set);
  const ScoreFile file = fileOf(options);
  const auto made = assignments(file, options, listSystems(workspace, set.id));
  // A file is imported completely or not at all.
  for (const Assignment& each : made) checkScores(*each.list, each.system, set, options.file);
  Json systems = Json::array();
  Table table{.columns = {{"system"}, {"in the file"}}};
  for (const char* title : {"sentences", "missing", "mean"}) table.addColumn(title);
  for (const auto& [list, system] : made) {
    if (!options.dryRun)
      importScores(workspace, system, set,
                   {file, *list, std::filesystem::path(options.file).filename().string()});
    systems.push_back(toJson(system, *list));
    table.rows.push_back({system.name, listName(*list), Cell::count(list->values.size()),
                          Cell::count(list->missing()), Cell::number(list->mean(), {.digits = 4})});
  }
  Json json{{"format", file.format}, {"metric", toJson(file.metric)}, {"systems", systems}};
  json["imported"] = !options.dryRun;
  json["warnings"] = file.warnings;
  if (global.json) return printJson(json);
  for (const std::string& warning : file.warnings) spdlog::warn("{}", warning);
  fmt::print("{}, read as {}; {} is better; scale {}\n{}", file.metric.name(), file.format,
             file.metric.higherIsBetter ? "higher" : "lower", nameOf(file.metric.scale),
             textTable(table));
}

void listScores(const GlobalOptions& global, const ScoresOptions& options) {
  Workspace workspace = openFresh(global);
  const StoredSystems all = listSystems(workspace, options.set);
  Json scores = Json::array();
  Table table{.columns = {{"system"}, {"test set"}, {"metric"}, {"better"}, {"scale"}}};
  for (const char* title : {"sentences", "missing", "mean"}) table.addColumn(title);
  table.columns.push_back({"from"});
  for (const StoredSystem& system : all.systems) {
    for (const StoredScores& each : system.importedScores) {
      const ScoreList list{.name = {}, .values = each.values()};
      Json json = toJson(system, list);
      json.erase("list");
      json.update({{"set", system.testSet},
                   {"metric", toJson(each.metric)},
                   {"format", each.format},
                   {"file", each.fileName}});
      scores.push_back(std::move(json));
      table.rows.push_back({system.name, system.testSet, each.metric.name(),
                            each.metric.higherIsBetter ? "higher" : "lower",
                            std::string(nameOf(each.metric.scale)), Cell::count(each.sentences),
                            Cell::count(each.missing), Cell::number(list.mean(), {.digits = 4}),
                            each.fileName + ", " + each.format});
    }
  }
  if (global.json) return printJson({{"scores", scores}, {"problems", all.problems}});
  for (const std::string& problem : all.problems) spdlog::warn("{}", problem);
  if (!table.rows.empty()) return fmt::print("{}", textTable(table));
  fmt::print("no imported scores{} in {}\n", options.set.empty() ? "" : " of " + options.set,
             workspace.root().string());
}

void trashThem(const GlobalOptions& global, const ScoresOptions& options) {
  Workspace workspace = openFresh(global);
  const StoredSystem system = findSystem(listSystems(workspace, options.set), options.system);
  const StoredScores scores = findScores(system, options.metric);
  const std::string id = trashScores(workspace, scores);
  printDone(global, {{"id", id}, {"system", system.id}, {"metric", scores.metric.name()}},
            fmt::format("the {} scores of {} are in the trash as {}", scores.metric.name(),
                        system.name, id));
}

void restoreThem(const GlobalOptions& global, const ScoresOptions& options) {
  Workspace workspace = openFresh(global);
  const TrashedScores restored = restoreScores(workspace, options.file);
  printDone(global, {{"id", restored.id}, {"system", restored.system}, {"metric", restored.metric}},
            fmt::format("the {} scores of {} are restored", restored.metric, restored.system));
}

void addImport(CLI::App& scores, const GlobalOptions& global,
               const std::shared_ptr<ScoresOptions>& options) {
  auto* verb = scores.add_subcommand("import", "Store the scores in a file");
  verb->add_option("FILE", options->file, "File of sentence scores, compressed or not")->required();
  verb->add_option("--set", options->set, "The test set, as `systems sets` lists it")->required();
  auto* system = verb->add_option(
      "--system", options->system,
      "The system (default: every system of the file, found by its texts or else its name)");
  verb->add_option("--of", options->of, "Its name in the file, if there are several")
      ->needs(system);
  verb->add_option("--metric", options->metric, "Name of the metric (default: that of the file)");
  verb->add_option("--model", options->model, "The metric's model, e.g. Unbabel/wmt22-comet-da");
  auto* lower = verb->add_flag("--lower-is-better", options->lower, "Lower values are better");
  verb->add_flag("--higher-is-better", options->higher, "Higher values are better")
      ->excludes(lower);
  verb->add_option("--scale", options->scale, "Range of the values: 0-1, 0-100 or other")
      ->check(CLI::IsMember({"0-1", "0-100", "other"}));
  verb->add_option("--format", options->format,
                   "Format of the file (default: detected from its content)")
      ->check(CLI::IsMember(scoreFileFormats()));
  verb->add_option("--score-column", options->scoreColumn,
                   "TSV: title or number of the scores' column (default: the only one of numbers "
                   "that does not number the sentences)");
  verb->add_option("--text-column", options->textColumn,
                   "TSV: column of the translations, which are checked then");
  verb->add_option("--system-column", options->systemColumn, "TSV: column of the systems' names");
  verb->add_option("--id-column", options->idColumn,
                   "TSV: column of the sentences' numbers, from 0 or 1, which order the rows "
                   "(default: one with such a title; none: the rows are in order)");
  verb->add_flag("--dry-run", options->dryRun, "Check the file and store nothing");
  verb->callback([&global, options] { importFile(global, *options); });
}

}  // namespace

void addScoresCommand(CLI::App& systems, const GlobalOptions& global) {
  auto options = std::make_shared<ScoresOptions>();
  auto* scores = systems.add_subcommand(
      "scores", "Scores of translations that other programs made: COMET, MetricX, people");
  scores->require_subcommand(1);
  scores->footer(
      "Examples:\n"
      "  strata-run systems scores import comet.json --set newstest2014 --model "
      "Unbabel/wmt22-comet-da\n"
      "  comet-score -s src.de -t mt.en -r ref.en > comet.out\n"
      "  strata-run systems scores import comet.out --set newstest2014 --system marian\n"
      "  strata-run systems scores import metricx.tsv --set newstest2014 --system marian "
      "--metric MetricX --lower-is-better --score-column 2\n"
      "  strata-run compare --set newstest2014 --metric bleu,COMET");
  addImport(*scores, global, options);
  auto* all = scores->add_subcommand("list", "List imported scores as a table");
  all->add_option("--set", options->set, "Only of this test set");
  all->callback([&global, options] { listScores(global, *options); });
  auto* removed = scores->add_subcommand("trash", "Move a system's scores to the trash");
  removed->add_option("SYSTEM", options->system, "The system")->required();
  removed->add_option("--metric", options->metric, "The metric")->required();
  removed->add_option("--set", options->set, "The test set, if several have such a system");
  removed->callback([&global, options] { trashThem(global, *options); });
  auto* restored = scores->add_subcommand("restore", "Restore scores from the trash");
  restored->add_option("ID", options->file, "Their name in the trash")->required();
  restored->callback([&global, options] { restoreThem(global, *options); });
}

}  // namespace strata
