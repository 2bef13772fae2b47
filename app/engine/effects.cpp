// strata-run effects: how much a model loses without each part, next to the part's weight.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <numeric>

#include "app/engine/effect_units.h"
#include "app/engine/effect_weights.h"
#include "app/engine/interventions.h"
#include "app/engine/measured_set.h"
#include "app/engine/verbs.h"
#include "core/base/error.h"
#include "core/base/progress.h"
#include "core/data/lines.h"
#include "core/decode/translator.h"
#include "core/inside/effect_bleu.h"
#include "core/inside/effects_report.h"
#include "core/run/experiment.h"

namespace strata {
namespace {

struct EffectsRequest {
  ModelOptions model;
  MeasuredSetRequest on;
  std::string kind, mode = "mean";
  bool bleu = false;
};

// Classes of the tokens of every target; of content words all if the model has no text pipeline.
std::vector<std::vector<WordClass>> classesOf(const ServedModel& served, const ScoredPairs& pairs) {
  std::vector<std::vector<WordClass>> classes;
  for (const auto& target : pairs.targets) {
    if (served.text) {
      const auto& vocabulary = served.text->vocabulary(Side::kTarget);
      classes.push_back(
          classesOfTokens(vocabulary.wordsOf(target), served.text->side(Side::kTarget).language));
    } else {
      classes.emplace_back(target.size(), WordClass::kContent).back() = WordClass::kEnd;
    }
  }
  return classes;
}

std::vector<LossByClass> lossesOf(const std::vector<std::vector<double>>& scores,
                                  const std::vector<std::vector<WordClass>>& classes) {
  std::vector<LossByClass> losses(scores.size());
  for (std::size_t s = 0; s < scores.size(); ++s) {
    for (std::size_t t = 0; t < scores[s].size(); ++t)
      losses[s][static_cast<std::size_t>(classes[s][t])] -= scores[s][t];
  }
  return losses;
}

// The units of the kind, by default of the first that the model has.
EffectUnits unitsFor(const EffectsRequest& request, const ServedModel& served,
                     const MeasuredSet& subject, EffectsKey& key) {
  const auto offered = offeredKinds(*served.model, subject.pairs);
  std::vector<std::string_view> names;
  for (const EffectKind kind : offered) names.push_back(nameOf(kind));
  if (offered.empty())
    throw usageError("The model of run {} has no parts that can be switched off", subject.run.name);
  key.kind = request.kind.empty() ? offered.front() : effectKindNamed(request.kind);
  if (std::ranges::find(offered, key.kind) == offered.end())
    throw usageError("The model of run {} has no {}; it has {}", subject.run.name,
                     describe(key.kind), fmt::join(names, ", "));
  if (key.kind == EffectKind::kGates && key.mode != EffectMode::kMask) key.mode = EffectMode::kMean;
  EffectUnits units = effectUnits(*served.model, subject.pairs, key.kind, key.mode);
  if (units.units.empty())
    throw usageError(
        "The fusion of run {} has no weights that a mask could replace: use mean or "
        "zero",
        subject.run.name);
  return units;
}

// The means that the units' replacements need.
std::map<std::string, torch::Tensor> meansFor(const std::vector<EffectUnit>& units,
                                              const ServedModel& served, const MeasuredSet& subject,
                                              int batch) {
  std::vector<std::string> texts;
  for (const EffectUnit& unit : units) texts.push_back(unit.intervention);
  const auto wanted = Interventions::parse(texts).meansWanted();
  if (wanted.empty()) return {};
  return meansOfRun(served, {subject.dataset, subject.set, subject.run, wanted, batch});
}

Interventions replacementOf(const EffectUnit& unit,
                            const std::map<std::string, torch::Tensor>& means) {
  Interventions replaced = Interventions::parse({unit.intervention});
  for (const std::string& name : replaced.meansWanted()) replaced.setMean(name, means.at(name));
  return replaced;
}

MeasuredEffects measure(const EffectUnits& units, const ServedModel& served,
                        const MeasuredSet& subject, int batch, Progress& progress) {
  const auto means = meansFor(units.units, served, subject, batch);
  const std::int64_t pairs = std::ssize(subject.pairs.sources);
  std::int64_t passes = 0;
  progress.begin("pairs", pairs * (std::ssize(units.units) + 2), "pairs");
  const auto options = [&](const Interventions* replaced) {
    return ScoreOptions{
        .batchSentences = batch,
        .advance = [&](std::int64_t done) { progress.advance(passes * pairs + done); },
        .interventions = replaced};
  };
  const auto classes = classesOf(served, subject.pairs);
  const auto losses = [&](const Interventions* replaced) {
    auto found = lossesOf(scorePairs(*served.model, subject.pairs, options(replaced)), classes);
    ++passes;
    return found;
  };
  MeasuredEffects measured{
      .tokens = std::vector<TokensByClass>(classes.size()), .with = losses(nullptr), .units = {}};
  for (std::size_t s = 0; s < classes.size(); ++s) {
    for (const WordClass each : classes[s]) ++measured.tokens[s][static_cast<std::size_t>(each)];
  }
  for (const EffectUnit& unit : units.units) {
    const Interventions replaced = replacementOf(unit, means);
    measured.units.push_back({.name = unit.name,
                              .intervention = unit.intervention,
                              .group = unit.group,
                              .layer = unit.layer,
                              .part = unit.part,
                              .without = losses(&replaced)});
  }
  addWeights(*served.model, subject.pairs, units.units, options(nullptr), measured);
  progress.end();
  return measured;
}

// As validation during training translates the set.
MeasuredTranslations translations(const EffectUnits& units, const ServedModel& served,
                                  const MeasuredSet& subject, int batch, Progress& progress) {
  MeasuredTranslations found{.beam = parseExperiment(runConfig(subject.run)).validation.beam};
  const std::int64_t sentences = std::ssize(subject.pairs.sources);
  for (std::int64_t r = 0; r < subject.set.references; ++r) {
    found.references.push_back(readLines(subject.set.tokensReference(r).string()));
    found.references.back().resize(static_cast<std::size_t>(sentences));
  }
  const auto means = meansFor(units.units, served, subject, batch);
  BeamOptions search = beamOptionsOf(served.decoding);
  search.beam = found.beam;
  const BeamInput input{.sources = subject.pairs.sources, .prefixes = {}};
  TextPipeline& text = textOf(served);
  std::int64_t passes = 0;
  progress.begin("Translating", sentences * (std::ssize(units.units) + 1), "sentences");
  const auto translated = [&](const Interventions* replaced) {
    search.interventions = replaced;
    auto texts = bestTokens(
        *served.model, input, search, batch,
        [&](const std::vector<TokenId>& ids) { return text.tokensOf(Side::kTarget, ids); },
        [&](std::int64_t done) { progress.advance(passes * sentences + done); });
    ++passes;
    return texts;
  };
  found.with = translated(nullptr);
  for (const EffectUnit& unit : units.units) {
    const Interventions replaced = replacementOf(unit, means);
    found.without.push_back(translated(&replaced));
  }
  progress.end();
  return found;
}

std::optional<EffectsReport> storedReport(const MeasuredSet& subject, const EffectsKey& key) {
  auto stored = storedEffects(subject.run.folder);
  const auto found = std::ranges::find(stored, key, &EffectsReport::key);
  return found == stored.end() ? std::nullopt : std::optional(std::move(*found));
}

void print(const EffectsReport& report) {
  fmt::print("{}\n", textTable(effectsTable(report)));
  if (!report.weight.empty()) fmt::print("weight: {}\n", report.weight);
  if (!report.contribution.empty()) fmt::print("contribution: {}\n", report.contribution);
  if (const std::string bleu = bleuCaptionOf(report); !bleu.empty()) fmt::print("{}\n", bleu);
  for (const EffectCorrelation& each : report.statistics.correlations)
    fmt::print("{}\n", textOf(each));
  if (!report.statistics.bleu) return;
  for (const EffectCorrelation& each : report.statistics.bleu->correlations)
    fmt::print("change of BLEU, {}\n", textOf(each));
}

void effects(EffectsRequest& request, const GlobalOptions& global) {
  EffectsKey key{.mode = effectModeNamed(request.mode)};
  if (!request.kind.empty()) {
    if (const auto refusal = refusalOf(effectKindNamed(request.kind), key.mode); !refusal.empty())
      throw usageError("{}", refusal);
  }
  const MeasuredSet subject = measuredSet(request.on, global);
  request.model.runs = {request.on.run};
  const auto served = openModel(request.model, global);
  const EffectUnits units = unitsFor(request, *served, subject, key);
  key.on = measuredOn(*served, subject);
  auto report = request.on.again ? std::nullopt : storedReport(subject, key);
  const bool translates = request.bleu && (!report || !report->statistics.bleu);
  const bool changes = !report || translates;
  if (!report) {
    const auto measured = measure(units, *served, subject, request.model.batch, terminalProgress());
    report = EffectsReport{.key = key,
                           .run = subject.run.name,
                           .weight = units.weight,
                           .contribution = units.contribution,
                           .statistics = effectStatistics(measured)};
  }
  if (translates)
    addBleu(report->statistics,
            translations(units, *served, subject, request.model.batch, terminalProgress()));
  if (changes) storeEffects(subject.run.folder, *report);
  if (global.json) return printJson(toJson(*report));
  print(*report);
}

std::string kindsHelp() {
  std::string text = "\nUnits (--kind):\n";
  for (const EffectKind kind : kEffectKinds)
    text += fmt::format("  {:<9} {}\n", nameOf(kind), describe(kind));
  return text;
}

}  // namespace

void addEffectsCommand(CLI::App& app, const GlobalOptions& global) {
  auto request = std::make_shared<EffectsRequest>();
  CLI::App* verb = app.add_subcommand(
      "effects", "Measure how much a run's model loses without each of its parts");
  addMeasuredSetOptions(*verb, request->on);
  verb->add_option("--kind", request->kind, "Units to switch off (default: the first that it has)");
  verb->add_option("--mode", request->mode,
                   "What replaces a unit: mean (over the validation set), zero, or mask (the "
                   "softmax over the rest)")
      ->capture_default_str();
  verb->add_flag("--bleu", request->bleu,
                 "Also translate the set without each unit, as validation during training does, "
                 "and measure the change of BLEU");
  addRunningOptions(*verb, request->model);
  verb->footer(
      "The effect is the validation loss per token without a unit minus that with it, in nats, "
      "with the 95 % interval of a paired bootstrap over sentences. The change of BLEU is that of "
      "the run's series valid/multi-bleu; translating takes many times longer.\n" +
      kindsHelp() +
      "Example:\n"
      "  strata-run effects first@best --kind levels --mode mean --limit 500");
  verb->callback([request, &global] { effects(*request, global); });
}

}  // namespace strata
