// strata-run tune: finds the beam size and length penalty with the best score on a validation set.
#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "app/engine/model_options.h"
#include "app/engine/verbs.h"
#include "app/run_dataset.h"
#include "app/timing.h"
#include "app/training_setup.h"
#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/progress.h"
#include "core/data/lines.h"
#include "core/decode/search_all.h"
#include "core/report/table.h"
#include "core/store/imported.h"
#include "core/store/looks.h"
#include "core/systems/scorer_case.h"
#include "core/train/tuning.h"

namespace strata {
namespace {

struct TuneRequest {
  ModelOptions model;
  std::string run, set = "valid", metric = "multi-bleu";
  std::vector<int> beams{1, 2, 3, 5, 8, 12};
  std::vector<std::string> rules{"gnmt:0..2:0.1"};
  std::vector<double> maxLength;  // empty: the run's
};

// A metric on an evaluation set, and the conversion of hypothesis tokens to the text it scores.
class TuneMetric {
 public:
  // `bleu`: of plain text.
  TuneMetric(const std::string& name, const EvaluationSet& set, TextPipeline& text,
             const BleuOptions& bleu)
      : plain_(name == "bleu"), text_(text), references_(make(set, bleu)) {}

  BleuStats compare(std::size_t sentence, const Hypothesis& hypothesis) const {
    const std::string tokens = text_.tokensOf(Side::kTarget, hypothesis.tokens);
    return references_.compare(sentence, plain_ ? text_.text(Side::kTarget, tokens) : tokens);
  }

  // 0 if all hypotheses are empty: multi-bleu is undefined then.
  double score(const BleuStats& stats) const {
    if (stats.hypothesisLength == 0) return 0;
    return plain_ ? bleu(stats, {}).score : multiBleu(stats).score;
  }

 private:
  BleuReferences make(const EvaluationSet& set, const BleuOptions& bleu) const {
    std::vector<std::vector<std::string>> references;
    for (std::int64_t r = 0; r < set.references; ++r)
      references.push_back(
          readLines((plain_ ? set.rawReference(r) : set.tokensReference(r)).string()));
    return plain_ ? BleuReferences(references, bleu)
                  : BleuReferences(references, MultiBleuOptions{});
  }

  bool plain_;
  TextPipeline& text_;
  BleuReferences references_;
};

struct BeamRule {
  int beam = 0;
  RulePoint found;
};

struct Tuning {
  std::vector<LengthRule> rules;
  std::vector<BeamRule> points;  // beam by beam, its rules in their order
  std::vector<double> seconds;   // of each beam's search

  const BeamRule& best() const {
    return *std::ranges::max_element(points, {},
                                     [](const BeamRule& point) { return point.found.score; });
  }
};

// Searches the set once per beam size; every length penalty then ranks the finished hypotheses.
Tuning tuned(const TuneRequest& request, const ServedModel& served, const BeamInput& input,
             const TuneMetric& metric) {
  Tuning tuning;
  for (const std::string& text : request.rules) {
    const auto rules = LengthRule::parseGrid(text);
    tuning.rules.insert(tuning.rules.end(), rules.begin(), rules.end());
  }
  Progress& progress = terminalProgress();
  for (const int beam : request.beams) {
    SearchRequest search{.beam = beam,
                         .lengthPenalty = LengthRule{.kind = LengthRule::Kind::kNone}};
    if (!request.maxLength.empty())
      search.maximumLength = {request.maxLength[0], request.maxLength[1]};
    BeamOptions options = beamOptionsOf(search, served.decoding);
    options.nbest = 0;
    const auto begin = BenchClock::now();
    progress.begin(fmt::format("Beam {}", beam), std::ssize(input.sources), "sentences");
    ComparedHypotheses found;
    found.sentences = searchAll(*served.model, input, options, request.model.batch,
                                [&](std::int64_t done) { progress.advance(done); });
    progress.end();
    tuning.seconds.push_back(secondsSince(begin));
    for (std::size_t i = 0; i < found.sentences.size(); ++i) {
      auto& stats = found.stats.emplace_back();
      for (const Hypothesis& hypothesis : found.sentences[i])
        stats.push_back(metric.compare(i, hypothesis));
    }
    for (const RulePoint& point : rankAgain(
             found, tuning.rules, [&](const BleuStats& stats) { return metric.score(stats); }))
      tuning.points.push_back({beam, point});
  }
  return tuning;
}

BeamInput sourcesOf(const EvaluationSet& set) {
  const Corpus corpus(set.corpus);
  BeamInput input;
  for (std::int64_t pair = 0; pair < corpus.pairs(); ++pair)
    input.sources.push_back(withEnd(corpus.ids(CorpusSide::kSource, pair).toVector()));
  return input;
}

Json pointJson(const BeamRule& point) {
  return {{"beam", point.beam},
          {"length_penalty", point.found.rule.text()},
          {"score", point.found.score},
          {"length_ratio", point.found.lengthRatio}};
}

Json reportOf(const TuneRequest& request, const ServedModel& served, const Dataset& dataset,
              const Tuning& tuning) {
  Json curve = Json::array(), seconds = Json::object();
  for (const BeamRule& point : tuning.points) curve.push_back(pointJson(point));
  for (std::size_t i = 0; i < request.beams.size(); ++i)
    seconds[std::to_string(request.beams[i])] = tuning.seconds[i];
  const bool given = !request.maxLength.empty();
  return {
      {"format", 1},
      {"checkpoint", served.folder.filename().string()},
      {"dataset",
       {{"name", dataset.name()}, {"version", dataset.version()}, {"digest", dataset.digest()}}},
      {"set", request.set},
      {"metric", request.metric},
      {"max_length",
       {given ? request.maxLength[0] : served.decoding.maxLengthFactor,
        given ? request.maxLength[1] : served.decoding.maxLengthOffset}},
      {"best", pointJson(tuning.best())},
      {"seconds", std::move(seconds)},
      {"curve", std::move(curve)}};
}

void printTable(const TuneRequest& request, const Tuning& tuning) {
  Table table;
  table.columns.push_back({"length rule"});
  for (const int beam : request.beams)
    table.columns.push_back({fmt::format("beam {}", beam), Align::kRight});
  for (std::size_t r = 0; r < tuning.rules.size(); ++r) {
    auto& row = table.rows.emplace_back(1, tuning.rules[r].text());
    for (std::size_t b = 0; b < request.beams.size(); ++b) {
      const BeamRule& point = tuning.points[b * tuning.rules.size() + r];
      row.push_back((&point == &tuning.best() ? "* " : "") + numberText(point.found.score));
    }
  }
  fmt::print("{}", textTable(table));
}

void tune(TuneRequest& request, const GlobalOptions& global) {
  Workspace workspace(global.workspace, {.access = Access::kRead, .networkFileSystem = {}});
  const RunSummary run = findRun(workspace, request.run.substr(0, request.run.rfind('@')));
  requireModel(run);
  const Dataset dataset = datasetOfRun(workspace, run);
  const EvaluationSet& set = dataset.set(request.set);
  if (set.test || isTestSet(set.name)) {
    throw usageError(
        "'{}' is a test set, which must not be used for tuning; use a validation set (--on valid)",
        set.name);
  }
  request.model.runs = {request.run};
  const auto served = openModel(request.model, global);
  const TuneMetric metric(request.metric, set, textOf(*served), {.lowercase = ignoresCase(run)});
  const Tuning tuning = tuned(request, *served, sourcesOf(set), metric);
  const Json report = reportOf(request, *served, dataset, tuning);
  const fs::path file =
      run.folder / "tuning" /
      fmt::format("{}.{}.{}.json", served->folder.filename().string(), request.set, request.metric);
  writeFileAtomic(file, report.dump(2) + "\n");
  if (global.json) {
    Json printed{{"run", run.name}, {"file", file.string()}};
    printed.update(report);
    return printJson(printed);
  }
  printTable(request, tuning);
  const BeamRule& best = tuning.best();
  fmt::print("\nbest on {}: {:.2f} {} with --beam {} --length-penalty {}\nthe curve is in {}\n",
             request.set, best.found.score, request.metric, best.beam, best.found.rule.text(),
             file.string());
}

}  // namespace

void addTuneCommand(CLI::App& app, const GlobalOptions& global) {
  auto request = std::make_shared<TuneRequest>();
  CLI::App* verb =
      app.add_subcommand("tune", "Find the beam size and length penalty with the best score");
  verb->add_option("--run", request->run, "Run by id or name, with @best, @last or @STEP")
      ->required();
  verb->add_option("--on", request->set, "Validation set of the run's dataset")
      ->capture_default_str();
  verb->add_option("--beam", request->beams, "Beam sizes, each searched once (1,2,3,5,8,12)")
      ->delimiter(',')
      ->check(CLI::Range(1, 1000));
  verb->add_option("--length-penalty", request->rules,
                   "Length penalties to rank the finished hypotheses by, numbers as LOW..HIGH:STEP "
                   "(gnmt:0..2:0.1)")
      ->allow_extra_args(false);
  verb->add_option("--metric", request->metric, "multi-bleu (tokens) or bleu (plain text)")
      ->check(CLI::IsMember({"multi-bleu", "bleu"}))
      ->capture_default_str();
  verb->add_option("--max-length", request->maxLength,
                   "A,B: at most A x source + B tokens (default: the run's setting)")
      ->delimiter(',')
      ->expected(2);
  addRunningOptions(*verb, request->model);
  verb->footer(
      "Examples:\n"
      "  strata-run tune --run first@best --on valid\n"
      "  strata-run tune --run first --beam 4,8 --length-penalty none --length-penalty "
      "marian:0..1:0.2,-0.4..0.4:0.2");
  verb->callback([request, &global] { tune(*request, global); });
}

}  // namespace strata
