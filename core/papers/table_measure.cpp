#include "app/paper_measure.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "app/paper_parameters.h"
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

constexpr double kConvergedFrom = 1.0;  // BLEU; a model below it says nothing of a reference
constexpr double kFall = 0.5;           // of the rate from one value to the next

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

// Sentences whose first reference holds no word that the target vocabulary lacks.
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

std::string statusOf(const RunSummary& run) {
  return std::string(nameOf(run.status));
}

bool stoppedAtInfinity(const RunSummary& run) {
  return run.status == RunStatus::kFailed && run.message.find("finite") != std::string::npos;
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
    throw Error("no reference of {} in {} is free of unknown words", set, dataset.name());
  return {all.metric, all.rows.only(at->second)};
}

MeasuredRun CellMeasure::runOf(const PlannedRun& plan) const {
  const RunSummary* found = runs_.find(plan.name);
  if (found == nullptr)
    return {.name = plan.name, .seed = plan.seed, .status = "absent", .value = {}};
  return {.name = plan.name,
          .seed = plan.seed,
          .status = statusOf(*found),
          .value = {},
          .diverged = stoppedAtInfinity(*found),
          .hours = found->seconds / 3600,
          .tokensPerSecond = found->tokensPerSecond};
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
    run.status = "scored";
    run.diverged = *run.value < kConvergedFrom;
    for (const PaperScorer& other : beside) {
      const auto theirs = scores_.kept(*plan.dataset, plan.set, plan.subset,
                                       scores_.rows(*plan.dataset, plan.set, other, *output));
      others[other.text()].push_back(theirs.score());
    }
    result.scored[run.name] = std::move(scored);
    result.outputs[run.name] = *output;
  }
  // An ensemble's score is one, however many runs it is of.
  if (!plan.decode.ensemble.empty() && cell.runs.size() > 1 && cell.runs[0].value)
    for (MeasuredRun& run : cell.runs) run.status = "scored";
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
  std::vector<StoredPoint> rates;
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
  for (const StoredPoint& point : readSeries(workspace, run, "train/epoch")) {
    if (point.step >= *step) return std::floor(point.value) + 1;
  }
  return {};
}

namespace {

using Resampled = std::vector<ResampledScores>;

// The cells of one table with what tests need of them.
class TableMeasure {
 public:
  TableMeasure(Workspace& workspace, const PaperTable& table, const PaperPlanner& planner)
      : workspace_(workspace),
        table_(table),
        plan_(planTable(table, planner)),
        cells_(workspace),
        overrides_(planner.options().overrides) {
    measured_.table = table;
    measured_.seeds = planner.options().seeds;
  }

  MeasuredTable run(const PaperPlanner& planner, const std::optional<VocabularySizes>& vocabulary) {
    vocabulary_ = vocabulary;
    measured_.vocabulary = sizesAt(nullptr, table_.column(table_.headline));
    for (std::size_t r = 0; r < table_.rows.size(); ++r) measureRow(r, planner);
    for (std::size_t r = 0; r < table_.rows.size(); ++r) compareRow(r);
    markBest();
    std::set<std::string> datasets;
    for (const MeasuredRow& row : measured_.rows) {
      for (const MeasuredCell& cell : row.cells) {
        if (!cell.runs.empty()) datasets.insert(cell.dataset);
      }
    }
    measured_.datasets = {datasets.begin(), datasets.end()};
    return std::move(measured_);
  }

 private:
  // What parameters in a row and column are counted for. A row that is left out has no dataset of
  // its own and is counted for what the others of the column have.
  VocabularySizes sizesAt(const PaperRow* row, const PaperColumn& column) const {
    if (vocabulary_) return *vocabulary_;
    const auto c = static_cast<std::size_t>(&column - table_.columns.data());
    const std::string recipe = row == nullptr ? "" : row->dataset;
    for (std::size_t r = 0; r < plan_.size(); ++r) {
      if (table_.rows[r].dataset == recipe && plan_[r][c].dataset)
        return sizesOf(*plan_[r][c].dataset);
    }
    return column.vocabulary.value_or(table_.vocabulary);
  }

  void measureRow(std::size_t r, const PaperPlanner& planner) {
    const PaperRow& row = table_.rows[r];
    MeasuredRow& ours = measured_.rows.emplace_back();
    resampled_.emplace_back(table_.columns.size());
    ours.cells.resize(table_.columns.size());
    if (!row.runs()) return;
    ours.preset = planner.presetOf(row.preset, "");
    std::vector<std::string> overrides = row.overrides;
    // Settings of one's own are for the chosen rows, and need not fit the others.
    const auto& cells = plan_[r];
    if (!std::all_of(cells.begin(), cells.end(), isLeftOut))
      overrides.insert(overrides.end(), overrides_.begin(), overrides_.end());
    const RowParameters counted = parametersOf(
        table_, {.overrides = overrides,
                 .preset = [&](const auto& suffix) { return planner.presetOf(row.preset, suffix); },
                 .sizes = [&](const auto& column) { return sizesAt(&row, column); }});
    ours.parameters = counted.row;
    ours.columnParameters = counted.columns;
    for (std::size_t c = 0; c < table_.columns.size(); ++c) {
      const PaperColumn& column = table_.columns[c];
      if (column.average.empty() || !plan_[r][c].set.empty()) measureCell(r, c);
    }
    for (std::size_t c = 0; c < table_.columns.size(); ++c) {
      if (!table_.columns[c].average.empty() && plan_[r][c].set.empty()) averageCell(r, c);
    }
  }

  void measureCell(std::size_t r, std::size_t c) {
    const PaperColumn& column = table_.columns[c];
    MeasuredCell& cell = measured_.rows[r].cells[c];
    if (!column.measure.empty()) {
      cell = cells_.measured(plan_[r][c], column.measure);
      return;
    }
    auto result = cells_.scored(plan_[r][c], table_.scorer, table_.beside);
    cell = std::move(result.cell);
    const BootstrapOptions options{.seed = BootstrapOptions{}.seed + c};
    std::optional<Resamples> resamples;
    for (const MeasuredRun& run : cell.runs) {
      const auto scored = result.scored.find(run.name);
      if (scored == result.scored.end()) continue;
      const auto& [metric, rows] = scored->second;
      if (!resamples) resamples.emplace(rows.sentences(), options);
      resampled_[r][c].push_back(resampleScores(*metric, rows, *resamples));
    }
  }

  std::size_t indexOf(const std::string& key) const {
    for (std::size_t c = 0; c < table_.columns.size(); ++c) {
      if (table_.columns[c].key == key) return c;
    }
    return 0;
  }

  // The mean of other columns, run by run.
  void averageCell(std::size_t r, std::size_t c) {
    MeasuredRow& row = measured_.rows[r];
    MeasuredCell& cell = row.cells[c];
    cell.missing = plan_[r][c].missing;
    const auto& parts = table_.columns[c].average;
    cell.runs = row.cells[indexOf(parts.front())].runs;
    cell.paperSetup = true;
    std::vector<Resampled> resampled;
    for (const std::string& key : parts) {
      const MeasuredCell& part = row.cells[indexOf(key)];
      if (!part.missing.empty()) cell.missing = part.missing;
      if (cell.dataset.empty()) cell.dataset = part.dataset;
      cell.paperSetup = cell.paperSetup && part.paperSetup;
      resampled.push_back(resampled_[r][indexOf(key)]);
    }
    if (!cell.missing.empty()) return;
    std::size_t done = 0;  // runs scored so far: their place in `resampled`
    for (std::size_t i = 0; i < cell.runs.size(); ++i) {
      double sum = 0;
      bool all = true;
      for (const std::string& key : parts) {
        const auto& value = row.cells[indexOf(key)].runs[i].value;
        all = all && value;
        sum += value.value_or(0);
      }
      cell.runs[i].value =
          all ? std::optional(sum / static_cast<double>(parts.size())) : std::nullopt;
      if (!all) continue;
      std::vector<ResampledScores> sets;
      for (const Resampled& part : resampled) {
        if (done < part.size()) sets.push_back(part[done]);
      }
      ++done;
      if (sets.size() == parts.size()) resampled_[r][c].push_back(meanScores(sets));
    }
  }

  void compareRow(std::size_t r) {
    const PaperRow& row = table_.rows[r];
    if (row.baseline.empty()) return;
    std::size_t base = 0;
    while (table_.rows[base].name != row.baseline) ++base;
    for (std::size_t c = 0; c < table_.columns.size(); ++c) {
      const MeasuredCell& theirs = measured_.rows[base].cells[c];
      MeasuredCell& ours = measured_.rows[r].cells[c];
      const bool same =
          ours.dataset == theirs.dataset && ours.set == theirs.set && ours.share == theirs.share;
      if (!same || resampled_[r][c].empty() || resampled_[base][c].empty()) continue;
      ours.gain = compareRuns(resampled_[base][c], resampled_[r][c]);
    }
  }

  // By the runs' own metric on valid, and by the headline's score.
  void markBest() {
    const std::size_t head = indexOf(table_.headline);
    std::optional<double> bestTest, bestValid;
    MeasuredRow *onTest = nullptr, *byValid = nullptr;
    std::string metric;
    bool ordered = true;
    for (MeasuredRow& row : measured_.rows) {
      const MeasuredCell& cell = row.cells[head];
      if (const auto mean = cell.mean(); mean && (!bestTest || *mean > *bestTest)) {
        bestTest = mean;
        onTest = &row;
      }
      double sum = 0, count = 0;
      for (const MeasuredRun& run : cell.runs) {
        const RunSummary* found = cells_.runs().find(run.name);
        if (found == nullptr || !run.value || !std::isfinite(found->best)) continue;
        if (metric.empty()) metric = found->metric;
        ordered = ordered && found->metric == metric;  // different measures have no order
        sum += higherIsBetter(metric) ? found->best : -found->best;
        ++count;
      }
      if (count > 0 && (!bestValid || sum / count > *bestValid)) {
        bestValid = sum / count;
        byValid = &row;
      }
    }
    if (onTest != nullptr) onTest->bestOnTest = true;
    if (ordered && byValid != nullptr) byValid->bestByValid = true;
  }

  Workspace& workspace_;
  const PaperTable& table_;
  std::vector<std::vector<PlannedCell>> plan_;
  CellMeasure cells_;
  std::vector<std::string> overrides_;
  MeasuredTable measured_;
  std::optional<VocabularySizes> vocabulary_;      // that the caller asks for
  std::vector<std::vector<Resampled>> resampled_;  // by row and column
};

}  // namespace

MeasuredTable measureTable(Workspace& workspace, const PaperTable& table,
                           const PaperPlanner& planner,
                           const std::optional<VocabularySizes>& vocabulary) {
  return TableMeasure(workspace, table, planner).run(planner, vocabulary);
}

}  // namespace strata
