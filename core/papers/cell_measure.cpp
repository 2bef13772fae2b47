#include "core/papers/cell_measure.h"

#include <algorithm>
#include <cmath>

#include "core/base/error.h"
#include "core/base/files.h"
#include "core/data/batch.h"
#include "core/data/lines.h"
#include "core/metrics/bleu_metric.h"
#include "core/metrics/mteval.h"
#include "core/run/config.h"
#include "core/run/experiment.h"
#include "core/store/scalars.h"
#include "core/text/pipeline.h"

namespace strata {
namespace {

constexpr double kConvergedFrom = 1.0;  // BLEU; a model below it has not converged
constexpr double kFall = 0.5;           // of the learning rate from one value to the next

bool readsTokens(const PaperScorer& scorer) {
  return scorer.metric == "multi-bleu";
}

MetricPointer metricOf(const PaperScorer& scorer,
                       const std::vector<std::vector<std::string>>& references) {
  if (scorer.metric == "multi-bleu") {
    const MultiBleuMetric::Options options{scorer.lowercase, scorer.splitHyphens};
    return std::make_shared<MultiBleuMetric>(references, options);
  }
  if (scorer.metric == "mteval-bleu") {
    const MtevalOptions options{.caseSensitive = !scorer.lowercase};
    return std::make_shared<MtevalBleuMetric>(references, options);
  }
  return std::make_shared<BleuMetric>(references, BleuOptions{.lowercase = scorer.lowercase});
}

std::vector<std::vector<std::string>> referencesOf(const Dataset& dataset, const std::string& name,
                                                   const PaperScorer& scorer) {
  const EvaluationSet& set = dataset.set(name);
  dataset.requireIntact(set);
  std::vector<std::vector<std::string>> references;
  for (std::int64_t r = 0; r < set.references; ++r) {
    const fs::path file = readsTokens(scorer) ? set.tokensReference(r) : set.rawReference(r);
    references.push_back(readLines(file.string()));
  }
  return references;
}

// Sentences whose first reference has no word outside the target vocabulary.
std::vector<std::size_t> knownReferences(const Dataset& dataset, const std::string& set) {
  dataset.requireIntact(noProgress(), "text");
  dataset.requireIntact(dataset.set(set));
  TextPipeline pipeline = TextPipeline::load(dataset.textFolder());
  std::vector<std::size_t> known;
  const auto lines = readLines(dataset.set(set).tokensReference().string());
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const auto ids = pipeline.ids(Side::kTarget, pipeline.units(Side::kTarget, lines[i]));
    if (std::find(ids.begin(), ids.end(), kUnknownId) == ids.end()) known.push_back(i);
  }
  return known;
}

}  // namespace

ScoredRows PaperScores::rows(const Dataset& dataset, const std::string& set,
                             const PaperScorer& scorer, const StoredOutput& output) {
  MetricPointer& metric = metrics_[dataset.digest() + "|" + set + "|" + scorer.text()];
  if (!metric) metric = metricOf(scorer, referencesOf(dataset, set, scorer));
  return {metric, compareAll(*metric, readsTokens(scorer) ? output.tokens : output.text)};
}

ScoredRows PaperScores::kept(const Dataset& dataset, const std::string& set,
                             const std::string& subset, ScoredRows all) {
  if (subset.empty()) return all;
  const auto [at, fresh] = subsets_.try_emplace(dataset.digest() + "|" + set);
  if (fresh) at->second = knownReferences(dataset, set);
  if (at->second.empty())
    throw Error("every reference of {} in {} has words outside the target vocabulary", set,
                dataset.name());
  return {all.metric, all.rows.only(at->second)};
}

MeasuredRun CellMeasure::runOf(const PlannedRun& plan) const {
  MeasuredRun run{.name = plan.name, .seed = plan.seed};
  if (const RunSummary* found = runs_.find(plan.name)) {
    run.status = found->status;
    run.diverged = found->diverged;
    run.hours = found->seconds / 3600;
    run.tokensPerSecond = found->tokensPerSecond;
  }
  return run;
}

CellMeasure::Result CellMeasure::scored(const PlannedCell& plan, const PaperScorer& scorer,
                                        const std::vector<PaperScorer>& beside) {
  Result result;
  MeasuredCell& cell = result.cell;
  cell.missing = plan.missing;
  if (!plan.missing.empty()) return result;
  cell.dataset = plan.dataset->name();
  cell.set = plan.set;
  cell.paperSetup = plan.paperSetup;
  for (const PlannedRun& run : plan.runs) cell.runs.push_back(runOf(run));
  const auto needed = neededOutputs(plan, runs_);
  std::map<std::string, std::vector<double>> others;
  for (std::size_t i = 0; i < needed.size(); ++i) {
    const auto output = needed[i] ? findOutput(needed[i]->folder(), needed[i]->key) : std::nullopt;
    if (!output) continue;
    MeasuredRun& run = cell.runs[i];
    auto all = scores_.rows(*plan.dataset, plan.set, scorer, *output);
    const auto sentences = static_cast<double>(all.rows.sentences());
    auto scored = scores_.kept(*plan.dataset, plan.set, plan.subset, std::move(all));
    cell.share = static_cast<double>(scored.rows.sentences()) / sentences;
    run.value = scored.score();
    run.scored = true;
    run.diverged = *run.value < kConvergedFrom;
    for (const PaperScorer& other : beside) {
      const auto theirs = scores_.kept(*plan.dataset, plan.set, plan.subset,
                                       scores_.rows(*plan.dataset, plan.set, other, *output));
      others[other.text()].push_back(theirs.score());
    }
    result.scored[run.name] = std::move(scored);
    result.outputs[run.name] = *output;
  }
  // An ensemble has one score, however many runs it combines.
  if (!plan.decode.ensemble.empty() && cell.runs.size() > 1 && cell.runs[0].value)
    for (MeasuredRun& run : cell.runs) run.scored = true;
  for (const auto& [name, values] : others) {
    double mean = 0;
    for (const double value : values) mean += value / static_cast<double>(values.size());
    cell.beside[name] = mean;
  }
  return result;
}

std::optional<double> CellMeasure::valueOf(const RunSummary& run, const std::string& measure) {
  if (measure == "tokens_per_second")
    return run.tokensPerSecond > 0 ? std::optional(run.tokensPerSecond) : std::nullopt;
  if (measure == "hours")
    return run.status == RunStatus::kFinished ? std::optional(run.seconds / 3600) : std::nullopt;
  if (measure == "updates_per_second" && run.seconds > 0 && run.step > 0)
    return static_cast<double>(run.step) / run.seconds;
  if (measure == "annealing_epoch") return annealingEpoch(workspace_, run.id);
  return {};
}

MeasuredCell CellMeasure::measured(const PlannedCell& plan, const std::string& measure) {
  MeasuredCell cell;
  cell.missing = plan.missing;
  if (!plan.missing.empty()) return cell;
  cell.dataset = plan.dataset->name();
  for (const PlannedRun& planned : plan.runs) {
    MeasuredRun run = runOf(planned);
    if (const RunSummary* found = runs_.find(planned.name)) run.value = valueOf(*found, measure);
    cell.runs.push_back(std::move(run));
  }
  return cell;
}

std::optional<std::int64_t> annealingStep(Workspace& workspace, std::int64_t run) {
  std::vector<ScalarPoint> rates;
  for (const SeriesSummary& series : listSeries(workspace, run)) {
    if (series.name != "lr" && !series.name.starts_with("lr/")) continue;
    rates = readSeries(workspace, run, series.name);
    break;
  }
  for (std::size_t i = 1; i < rates.size(); ++i) {
    if (rates[i].value <= kFall * rates[i - 1].value) return rates[i].step;
  }
  return {};
}

std::optional<double> annealingEpoch(Workspace& workspace, std::int64_t run) {
  const auto step = annealingStep(workspace, run);
  if (!step) return {};
  for (const ScalarPoint& point : readSeries(workspace, run, "train/epoch")) {
    if (point.step >= *step) return std::floor(point.value) + 1;
  }
  return {};
}

}  // namespace strata
