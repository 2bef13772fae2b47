#include "app/demo_results.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/files.h"
#include "core/data/generator/dataset.h"
#include "core/data/lines.h"
#include "core/papers/cell_measure.h"
#include "core/papers/table_measure.h"
#include "core/run/flatness.h"
#include "core/store/scalars.h"

namespace strata {
namespace {

constexpr std::size_t kExamples = 8;
constexpr const char* kLoss = "valid/nll";

// The mean over a system's runs that have it.
std::optional<double> fallOf(Workspace& workspace, const DemoSystem& system) {
  const RunsByName runs(workspace);
  std::vector<double> falls;
  for (const PlannedRun& plan : system.runs) {
    const RunSummary* run = runs.find(plan.name);
    if (run == nullptr) continue;
    if (const auto fall = fallAtEnd(readSeries(workspace, run->id, kLoss))) falls.push_back(*fall);
  }
  return summaryOf(falls).mean;
}

void addText(Workspace& workspace, const DemoSystems& systems, const Dataset& dataset,
             DemoResults& results) {
  const EvaluationSet& test = dataset.set(systems.table().columns.front().set);
  dataset.requireIntact(test);
  const auto source = readLines(test.rawSource()), reference = readLines(test.rawReference());
  results.sentences = static_cast<std::int64_t>(source.size());
  CellMeasure cells(workspace);
  const generator::WordForWord lexicon(dataset.folder() / "gold" / "lexicon.tsv");
  StoredOutput words;
  for (const std::string& line : source) words.tokens.push_back(lexicon.translate(line));
  words.text = words.tokens;  // the generated text is tokenised as it is
  const PaperScorer& scorer = systems.table().scorer;
  results.wordForWord = cells.scores().rows(dataset, test.name, scorer, words).score();
  for (std::size_t i = 0; i < source.size() && i < kExamples; ++i)
    results.examples.push_back({source[i], reference[i], {}});
  const auto plan = planTable(systems.table(), systems.planner());
  for (std::size_t r = 0; r < plan.size(); ++r) {
    const auto outputs = cells.scored(plan[r].front(), scorer).outputs;
    const auto output = outputs.find(systems.systems()[r].shown().name);
    for (std::size_t i = 0; i < results.examples.size(); ++i)
      results.examples[i].translations.push_back(
          output == outputs.end() ? "" : output->second.text.at(i));
  }
}

// The row that is compared with another one.
struct Compared {
  const PaperRow& row;
  const MeasuredCell& cell;
  std::optional<double> fall, baselineFall;
};

Compared comparedIn(const DemoResults& results) {
  const PaperTable& table = results.measured.table;
  const auto row =
      std::ranges::find_if(table.rows, [](const PaperRow& each) { return !each.baseline.empty(); });
  const auto place = [&](const PaperRow& of) {
    return static_cast<std::size_t>(&of - table.rows.data());
  };
  return {*row, results.measured.rows[place(*row)].cells.front(), results.falls[place(*row)],
          results.falls[place(table.row(row->baseline))]};
}

Json systemJson(const DemoResults& results, std::size_t r) {
  const MeasuredRow& row = results.measured.rows[r];
  const MeasuredCell& cell = row.cells.front();
  Json runs = Json::array();
  for (const MeasuredRun& run : cell.runs) {
    if (run.status)
      runs.push_back({{"name", run.name}, {"seed", run.seed}, {"BLEU", orNull(run.value)}});
  }
  return {{"name", results.measured.table.rows[r].name},
          {"preset", row.preset},
          {"parameters", orNull(row.parameters)},
          {"runs", std::move(runs)},
          {"BLEU", orNull(cell.mean())},
          {"deviation", orNull(cell.deviation())},
          {"fall", orNull(results.falls[r])}};
}

std::string fallText(const std::optional<double>& fall) {
  return numberText(fall, {.digits = 0, .form = NumberForm::kPercent, .missing = "?"});
}

}  // namespace

DemoResults demoResults(Workspace& workspace, const DemoSystems& systems, double seconds) {
  DemoResults results;
  results.choice = systems.choice();
  results.seconds = seconds;
  const Dataset dataset = Dataset::open(workspace.datasetsFolder(), systems.choice().dataset);
  const Json& types = dataset.manifest().at("recipe").at("generator").at("types");
  results.sourceTypes = types.at("de");
  results.targetTypes = types.at("en");
  results.measured = measureTable(workspace, systems.table(), systems.planner(), {});
  for (const DemoSystem& system : systems.systems())
    results.falls.push_back(fallOf(workspace, system));
  addText(workspace, systems, dataset, results);
  return results;
}

Json toJson(const DemoResults& results) {
  const Compared compared = comparedIn(results);
  Json json{{"dataset", results.choice.dataset},
            {"seeds", results.choice.seeds},
            {"seconds", results.seconds},
            {"sentences", results.sentences},
            {"source_types", results.sourceTypes},
            {"target_types", results.targetTypes},
            {"word_for_word", {{"BLEU", results.wordForWord}}},
            {"systems", Json::array()},
            {"difference", nullptr},
            {"verdict", verdict(results)},
            {"learning", learning(results)},
            {"examples", Json::array()}};
  for (std::size_t r = 0; r < results.measured.rows.size(); ++r)
    json["systems"].push_back(systemJson(results, r));
  if (const auto& gain = compared.cell.gain) {
    json["difference"] = {{"system", compared.row.name},
                          {"baseline", compared.row.baseline},
                          {"BLEU", gain->difference},
                          {"low", gain->low},
                          {"high", gain->high},
                          {"p_value", gain->pValue},
                          {"direction", nameOf(gain->direction())}};
  }
  for (const auto& example : results.examples) {
    Json translations = Json::object();
    for (std::size_t r = 0; r < example.translations.size(); ++r)
      translations[results.measured.table.rows[r].name] = example.translations[r];
    json["examples"].push_back({{"source", example.source},
                                {"reference", example.reference},
                                {"translations", std::move(translations)}});
  }
  return json;
}

std::string verdict(const DemoResults& results) {
  const Compared compared = comparedIn(results);
  if (!compared.cell.gain)
    return fmt::format("{} and {} are not both scored: nothing can be said of the fusion.",
                       compared.row.name, compared.row.baseline);
  const RunsComparison& gain = *compared.cell.gain;
  const std::string numbers = fmt::format(
      "{} against {}: {:+.2f} BLEU, 95 % interval {:+.2f} to {:+.2f}, p = {:.3f}, {} and {} runs.",
      compared.row.name, compared.row.baseline, gain.difference, gain.low, gain.high, gain.pValue,
      gain.systemRuns, gain.baselineRuns);
  switch (gain.direction()) {
    case Direction::kConfirmed:
      return numbers + " Confirmed: here the model with fused layers is better.";
    case Direction::kOpposite:
      return numbers + " Opposite: here the model with fused layers is worse.";
    case Direction::kUndecided:
      return numbers + " Undecided: neither model is called better.";
    case Direction::kTooFewRuns:
      break;
  }
  return numbers + fmt::format(" Too few seeds: a direction is stated from {} runs of each on.",
                               kRunsForDirection);
}

std::string learning(const DemoResults& results) {
  const Compared compared = comparedIn(results);
  if (!compared.fall || !compared.baselineFall)
    return "Whether the learning curves are flat cannot be said: they have too few points.";
  const bool flat = *compared.fall < kFlatBelow && *compared.baselineFall < kFlatBelow;
  const std::string falls = fmt::format(
      "Over the last quarter of the updates the validation loss of {} still fell by {}, that of {} "
      "by {}; a curve counts as flat below {}.",
      compared.row.name, fallText(compared.fall), compared.row.baseline,
      fallText(compared.baselineFall), fallText(kFlatBelow));
  return falls + (flat ? " Both are flat: longer training is not expected to change the verdict."
                       : " They are not flat: the verdict is of this short training only.");
}

Table systemsTable(const DemoResults& results) {
  Table table{.caption = fmt::format("BLEU on {} held-out sentences with clause frames not seen in "
                                     "training; ±: standard deviation over seeds",
                                     results.sentences)};
  table.beginRow("system", "word for word, by the gold lexicon");
  table.addText("preset", "");
  table.addNumber("parameters", "");
  table.addNumber("runs", "");
  table.addNumber("BLEU", Cell::number(results.wordForWord, kDemoScore));
  for (std::size_t r = 0; r < results.measured.rows.size(); ++r) {
    const MeasuredRow& row = results.measured.rows[r];
    const MeasuredCell& cell = row.cells.front();
    table.beginRow("system", results.measured.table.rows[r].name);
    table.addText("preset", row.preset);
    table.addNumber("parameters",
                    row.parameters ? Cell::count(*row.parameters) : Cell(std::string(kNoValue)));
    table.addNumber("runs", Cell::count(cell.values().size()));
    table.addNumber("BLEU", cell.mean()
                                ? Cell::plusMinus(*cell.mean(), cell.deviation(), kDemoScore)
                                : Cell(std::string(kNoValue)));
  }
  return table;
}

}  // namespace strata
