#include "core/papers/paper_plan.h"

#include <algorithm>

#include "core/base/error.h"
#include "core/base/files.h"
#include "core/data/recipe.h"
#include "core/papers/paper_start.h"

namespace strata {
namespace {

// Splits "A=B"; without '=' the first part is empty.
std::pair<std::string, std::string> assignment(const std::string& text) {
  const auto equals = text.find('=');
  if (equals == std::string::npos) return {"", text};
  return {text.substr(0, equals), text.substr(equals + 1)};
}

// "test" if it exists, else the first test set; likewise for validation sets.
std::string standIn(const Dataset& dataset, bool valid) {
  const std::string usual = valid ? "valid" : "test";
  std::string first;
  for (const EvaluationSet& set : dataset.sets()) {
    if (set.test == valid) continue;
    if (set.name == usual) return usual;
    if (first.empty()) first = set.name;
  }
  return first;
}

bool hasSet(const Dataset& dataset, const std::string& name) {
  return std::ranges::find(dataset.sets(), name, &EvaluationSet::name) != dataset.sets().end();
}

bool isMadeByBuiltIn(const Dataset& dataset, const std::string& name) {
  const auto recipe = builtInRecipe(name);
  return recipe && isMadeBy(dataset, *recipe);
}

}  // namespace

PaperPlanner::PaperPlanner(const PaperEngine& engine, fs::path datasets, PaperOptions options,
                           std::string recipe)
    : engine_(engine),
      datasets_(std::move(datasets)),
      options_(std::move(options)),
      recipe_(std::move(recipe)) {
  for (const std::string& text : options_.data) {
    const auto [of, name] = assignment(text);
    names_[of.empty() ? recipe_ : of] = name;
  }
  for (const std::string& text : options_.sets) {
    const auto [column, set] = assignment(text);
    if (column.empty()) throw usageError("--sets {}: expected COLUMN=SET", text);
    columns_[column] = set;
  }
  if (options_.seeds < 1) throw usageError("--seeds must be at least 1, not {}", options_.seeds);
}

std::string PaperPlanner::presetOf(const std::string& preset,
                                   const std::string& columnSuffix) const {
  return preset + columnSuffix + (options_.suffix.empty() ? "" : "-" + options_.suffix);
}

std::optional<Dataset> PaperPlanner::datasetOf(const std::string& recipe,
                                               std::string& missing) const {
  const auto named = names_.find(recipe);
  if (named != names_.end()) return Dataset::open(datasets_, named->second);
  // --data replaces the recipe of the table's main task only.
  if (fs::exists(datasets_ / recipe / "manifest.yaml")) return Dataset::open(datasets_, recipe);
  missing = fmt::format("no dataset '{}'", recipe);
  return {};
}

std::string PaperPlanner::setOf(const CellRequest& request, const Dataset& dataset) const {
  const auto chosen = columns_.find(request.column.key);
  if (chosen != columns_.end()) return dataset.set(chosen->second).name;
  if (request.column.set.empty() || hasSet(dataset, request.column.set)) return request.column.set;
  return request.column.valid || request.headline ? standIn(dataset, request.column.valid) : "";
}

std::string PaperPlanner::runName(const PlannedCell& cell, const PaperRow& row,
                                  std::uint64_t seed) const {
  std::vector<std::string> settings = row.overrides;
  if (options_.label.empty())
    settings.insert(settings.end(), options_.overrides.begin(), options_.overrides.end());
  const auto named = [&](const std::vector<std::string>& of) {
    return fmt::format("{}.s{}",
                       paperRunName({.preset = cell.preset,
                                     .dataset = cell.dataset->name(),
                                     .version = cell.dataset->version(),
                                     .settings = of,
                                     .label = options_.label}),
                       seed);
  };
  const std::string before = named(settings);
  std::erase_if(settings, isScoreless);
  const std::string name = named(settings);
  return name != before && exists_ && !exists_(name) && exists_(before) ? before : name;
}

PlannedRun PaperPlanner::runOf(const PlannedCell& cell, const CellRequest& request,
                               std::uint64_t seed) const {
  PlannedRun run{.name = runName(cell, request.row, seed),
                 .preset = cell.preset,
                 .dataset = cell.dataset->name(),
                 .seed = seed,
                 .overrides = request.row.overrides,
                 .series = request.series};
  run.overrides.insert(run.overrides.end(), options_.overrides.begin(), options_.overrides.end());
  run.overrides.push_back("data.dataset=" + run.dataset);
  run.overrides.push_back(fmt::format("seed={}", seed));
  return run;
}

std::vector<std::string> PaperPlanner::otherSetup(const PlannedCell& cell,
                                                  const CellRequest& request,
                                                  const std::string& recipe) const {
  std::vector<std::string> reasons;
  std::vector<std::string> settings = options_.overrides;
  std::erase_if(settings, isScoreless);
  if (!settings.empty()) reasons.push_back(fmt::format("--set {}", fmt::join(settings, ", ")));
  if (!options_.suffix.empty()) reasons.push_back("--suffix " + options_.suffix);
  if (!options_.label.empty())
    reasons.push_back(fmt::format("--label {}, whose runs may have any settings", options_.label));
  const PaperColumn& column = request.column;
  const std::string& printed = column.paperSet.empty() ? column.set : column.paperSet;
  if (printed == kNoPaperSet)
    reasons.push_back(fmt::format("the set {}, which is not the paper's", cell.set));
  else if (cell.set != printed)
    reasons.push_back(fmt::format("the set {} instead of {}", cell.set, printed));
  if (!isMadeByBuiltIn(*cell.dataset, recipe))
    reasons.push_back(
        fmt::format("the dataset {}, not made by the recipe {}", cell.dataset->name(), recipe));
  return reasons;
}

int PaperPlanner::seedsOf(const PlannedCell& cell, const PaperRow& row) const {
  if (!cell.decode.ensemble.empty()) return row.seeds;
  return row.oneRun ? 1 : options_.seeds;
}

PlannedCell PaperPlanner::plan(const CellRequest& request) const {
  PlannedCell cell;
  const PaperRow& row = request.row;
  const std::string recipe = row.dataset.empty() ? request.column.dataset : row.dataset;
  cell.preset = presetOf(row.preset, request.column.suffix);
  cell.decode = row.decode.plain() ? request.column.decode : row.decode;
  cell.subset = row.subset;
  cell.averageLast = request.averageLast;
  if (!engine_.isPreset(cell.preset)) {  // not every system has a preset for each --suffix
    cell.missing = fmt::format("no preset '{}'", cell.preset);
    return cell;
  }
  cell.dataset = datasetOf(recipe, cell.missing);
  if (!cell.dataset) return cell;
  cell.set = setOf(request, *cell.dataset);
  if (!request.column.set.empty() && cell.set.empty()) {
    cell.missing = fmt::format("no set '{}' in {}", request.column.set, cell.dataset->name());
    return cell;
  }
  cell.otherSetup = otherSetup(cell, request, recipe);
  cell.paperSetup = cell.otherSetup.empty();
  for (int seed = 1; seed <= seedsOf(cell, row); ++seed)
    cell.runs.push_back(runOf(cell, request, static_cast<std::uint64_t>(seed)));
  return cell;
}

namespace {

CellRequest requestOf(const PaperTable& table, const PaperRow& row, const PaperColumn& column) {
  return {.row = row,
          .column = column,
          .headline = column.key == table.headline,
          .averageLast = table.averageLast};
}

// Row names may contain commas: a value that is not a row's name is split at its commas.
std::vector<std::string> rowNames(const PaperTable& table, const std::vector<std::string>& given) {
  std::vector<std::string> names;
  for (const std::string& text : given) {
    const bool whole = std::ranges::find(table.rows, text, &PaperRow::name) != table.rows.end();
    for (std::size_t begin = 0; begin <= text.size();) {
      const std::size_t end = whole ? text.size() : std::min(text.find(',', begin), text.size());
      names.push_back(text.substr(begin, end - begin));
      begin = end + 1;
    }
  }
  return names;
}

// A mean of columns. If one of them cannot be measured on this dataset, the headline is scored on
// its test set instead.
PlannedCell planMean(const PaperTable& table, const PaperPlanner& planner, const PaperRow& row,
                     const PaperColumn& column) {
  CellRequest request = requestOf(table, row, column);
  PlannedCell cell = planner.plan(request);
  for (const std::string& part : column.average) {
    const PlannedCell other = planner.plan(requestOf(table, row, table.column(part)));
    cell.paperSetup = cell.paperSetup && other.paperSetup;
    if (cell.otherSetup.empty()) cell.otherSetup = other.otherSetup;
    if (other.missing.empty()) continue;
    if (!request.headline || !cell.missing.empty()) {
      if (cell.missing.empty()) cell.missing = other.missing;
      return cell;
    }
    request.column.set = "test";
    return planner.plan(request);
  }
  return cell;
}

}  // namespace

std::vector<std::vector<PlannedCell>> planTable(const PaperTable& table,
                                                const PaperPlanner& planner) {
  const std::vector<std::string> rows = rowNames(table, planner.options().rows);
  const std::vector<std::string>& columns = planner.options().columns;
  for (const std::string& row : rows) table.row(row);
  for (const std::string& column : columns) table.column(column);
  const auto chosen = [](const std::vector<std::string>& list, const std::string& name) {
    return list.empty() || std::ranges::find(list, name) != list.end();
  };
  std::vector<std::vector<PlannedCell>> plan;
  for (const PaperRow& row : table.rows) {
    auto& cells = plan.emplace_back();
    for (const PaperColumn& column : table.columns) {
      if (!row.runs() || !chosen(rows, row.name) || !chosen(columns, column.key)) {
        cells.push_back({.missing = kLeftOut});
      } else if (!column.average.empty()) {
        cells.push_back(planMean(table, planner, row, column));
      } else {
        cells.push_back(planner.plan(requestOf(table, row, column)));
      }
    }
  }
  return plan;
}

}  // namespace strata
