#include "core/inside/effects_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace strata {
namespace {

constexpr int kFormat = 1;
constexpr NumberStyle kNats{.digits = 4, .form = NumberForm::kSigned, .missing = kNoValue};
constexpr NumberStyle kPoints{.digits = 2, .form = NumberForm::kSigned, .missing = kNoValue};
constexpr NumberStyle kWeightNumber{.digits = 3, .missing = kNoValue};

double numberFrom(const Json& json) {
  return json.is_null() ? kNoEffectValue : json.get<double>();
}

std::optional<double> measured(double value) {
  return std::isnan(value) ? std::nullopt : std::optional(value);
}

Json measuredOrNull(double value) {
  return orNull(measured(value));
}

Json toJson(const UnitEffect& unit, bool withBleu) {
  Json json{{"name", unit.name},
            {"intervention", unit.intervention},
            {"group", unit.group},
            {"layer", unit.layer},
            {"part", unit.part},
            {"effect", unit.effect},
            {"low", unit.low},
            {"high", unit.high},
            {"by_class", jsonList(unit.byClass, measuredOrNull)},
            {"weight", measuredOrNull(unit.weight)},
            {"contribution", measuredOrNull(unit.contribution)},
            {"list", nameOf(unit.list)}};
  const BleuChange& bleu = unit.bleu;
  if (withBleu) json["bleu"] = {{"change", bleu.change}, {"low", bleu.low}, {"high", bleu.high}};
  return json;
}

EffectList listNamed(const std::string& name) {
  for (const EffectList list :
       {EffectList::kWeightWithoutEffect, EffectList::kEffectWithoutWeight}) {
    if (nameOf(list) == name) return list;
  }
  return EffectList::kNone;
}

UnitEffect unitFrom(const Json& json) {
  UnitEffect unit{.name = json.at("name"),
                  .intervention = json.at("intervention"),
                  .group = json.at("group"),
                  .layer = json.at("layer"),
                  .part = json.at("part"),
                  .effect = json.at("effect"),
                  .low = json.at("low"),
                  .high = json.at("high"),
                  .byClass = {},
                  .weight = numberFrom(json.at("weight")),
                  .contribution = numberFrom(json.at("contribution")),
                  .list = listNamed(json.at("list"))};
  for (const Json& value : json.at("by_class")) unit.byClass.push_back(numberFrom(value));
  unit.byClass.resize(kWordClasses.size(), kNoEffectValue);
  if (const auto bleu = json.find("bleu"); bleu != json.end())
    unit.bleu = {bleu->at("change"), bleu->at("low"), bleu->at("high")};
  return unit;
}

Json toJson(const EffectCorrelation& correlation) {
  return {{"group", correlation.group},
          {"measure", correlation.measure},
          {"units", correlation.units},
          {"rho", measuredOrNull(correlation.rho)},
          {"low", measuredOrNull(correlation.low)},
          {"high", measuredOrNull(correlation.high)},
          {"none", correlation.none}};
}

EffectCorrelation correlationFrom(const Json& json) {
  return {.group = json.at("group"),
          .measure = json.at("measure"),
          .units = json.at("units"),
          .rho = numberFrom(json.at("rho")),
          .low = numberFrom(json.at("low")),
          .high = numberFrom(json.at("high")),
          .none = json.at("none")};
}

std::vector<EffectCorrelation> correlationsFrom(const Json& json) {
  std::vector<EffectCorrelation> found;
  for (const Json& each : json) found.push_back(correlationFrom(each));
  return found;
}

Json toJson(const EffectBleu& bleu) {
  return {{"score", bleu.score},
          {"beam", bleu.beam},
          {"signature", bleu.signature},
          {"correlations", jsonList(bleu.correlations,
                                    [](const EffectCorrelation& each) { return toJson(each); })}};
}

// Reports of before have no correlations of BLEU: they get them, without an interval.
EffectBleu bleuFrom(const Json& json, const std::vector<UnitEffect>& units) {
  EffectBleu bleu{
      .score = json.at("score"), .beam = json.at("beam"), .signature = json.at("signature")};
  if (const auto correlations = json.find("correlations"); correlations != json.end()) {
    bleu.correlations = correlationsFrom(*correlations);
  } else {
    std::vector<double> changes;
    for (const UnitEffect& unit : units) changes.push_back(unit.bleu.change);
    bleu.correlations = bleuCorrelations(units, {changes});
  }
  return bleu;
}

bool hasAny(const EffectsReport& report, double UnitEffect::*figure) {
  return std::ranges::any_of(report.statistics.units,
                             [&](const UnitEffect& unit) { return !std::isnan(unit.*figure); });
}

}  // namespace

Json toJson(const EffectsReport& report) {
  const EffectStatistics& statistics = report.statistics;
  Json classes = Json::array();
  for (const WordClass wordClass : kWordClasses) classes.push_back(nameOf(wordClass));
  Json json{{"format", kFormat},
            {"run", report.run},
            {"kind", nameOf(report.key.kind)},
            {"mode", nameOf(report.key.mode)},
            {"weight", report.weight},
            {"contribution", report.contribution},
            {"sentences", statistics.sentences},
            {"tokens", statistics.tokens},
            {"loss", statistics.loss},
            {"classes", classes},
            {"units", jsonList(statistics.units,
                               [&](const UnitEffect& each) {
                                 return toJson(each, statistics.bleu.has_value());
                               })},
            {"correlations", jsonList(statistics.correlations,
                                      [](const EffectCorrelation& each) { return toJson(each); })}};
  if (statistics.bleu) json["bleu"] = toJson(*statistics.bleu);
  addMembers(json, report.key.on);
  return json;
}

EffectsReport effectsReportFrom(const Json& json) {
  EffectsReport report;
  report.run = json.at("run");
  report.key = {.kind = effectKindNamed(json.at("kind").get<std::string>()),
                .mode = effectModeNamed(json.at("mode").get<std::string>()),
                .on = measuredOnFrom(json)};
  report.weight = json.at("weight");
  report.contribution = json.at("contribution");
  report.statistics.sentences = json.at("sentences");
  report.statistics.tokens = json.at("tokens");
  report.statistics.loss = json.at("loss");
  for (const Json& unit : json.at("units")) report.statistics.units.push_back(unitFrom(unit));
  report.statistics.correlations = correlationsFrom(json.at("correlations"));
  if (const auto bleu = json.find("bleu"); bleu != json.end())
    report.statistics.bleu = bleuFrom(*bleu, report.statistics.units);
  return report;
}

std::filesystem::path effectsFile(const std::filesystem::path& runFolder, const EffectsKey& key) {
  return runFolder / "effects" /
         fmt::format("{}.{}.{}.json", key.on.fileStem(), nameOf(key.kind), nameOf(key.mode));
}

void storeEffects(const std::filesystem::path& runFolder, const EffectsReport& report) {
  storeReport(effectsFile(runFolder, report.key), toJson(report));
}

std::vector<EffectsReport> storedEffects(const std::filesystem::path& runFolder) {
  std::vector<EffectsReport> reports;
  readReports(runFolder / "effects", kFormat,
              [&](const Json& json) { reports.push_back(effectsReportFrom(json)); });
  return reports;
}

std::string captionOf(const EffectsReport& report) {
  const EffectStatistics& statistics = report.statistics;
  const std::string replaced = report.key.kind == EffectKind::kGates  ? "fixed"
                               : report.key.mode == EffectMode::kMean ? "replaced by its mean"
                               : report.key.mode == EffectMode::kZero ? "replaced by 0"
                                                                      : "masked";
  return fmt::format(
      "{}, {}, {}: -log p per token (nats) with each unit {} minus that of the model, {:.4f}, on "
      "{} sentences, {} tokens",
      report.run, report.key.on.checkpoint, report.key.on.set, replaced, statistics.loss,
      statistics.sentences, statistics.tokens);
}

std::string bleuCaptionOf(const EffectsReport& report) {
  const auto& bleu = report.statistics.bleu;
  if (!bleu) return {};
  return fmt::format("BLEU {:.2f} of the model's translations ({}; {})", bleu->score,
                     bleu->beam > 1 ? fmt::format("beam {}", bleu->beam) : "greedy search",
                     bleu->signature);
}

Table effectsTable(const EffectsReport& report) {
  Table table{.caption = captionOf(report)};
  const bool weights = hasAny(report, &UnitEffect::weight),
             contributions = hasAny(report, &UnitEffect::contribution);
  for (const UnitEffect& unit : report.statistics.units) {
    const bool several = report.statistics.correlations.size() > (contributions ? 2U : 1U);
    table.beginRow("unit", several ? unit.group + " " + unit.name : unit.name);
    if (weights) table.addNumber("weight", Cell::number(measured(unit.weight), kWeightNumber));
    if (contributions)
      table.addNumber("contribution", Cell::number(measured(unit.contribution), kWeightNumber));
    table.addNumber("effect", Cell::number(unit.effect, kNats));
    table.addNumber("95 % interval", Cell::range(unit.low, unit.high, kNats.digits));
    for (std::size_t c = 0; c < kWordClasses.size(); ++c)
      table.addNumber(std::string(nameOf(kWordClasses[c])),
                      Cell::number(measured(unit.byClass[c]), kNats));
    if (report.statistics.bleu) {
      const BleuChange& bleu = unit.bleu;
      table.addNumber("change of BLEU", Cell::number(bleu.change, kPoints));
      table.addNumber("its 95 % interval", Cell::range(bleu.low, bleu.high, kPoints.digits));
    }
    table.addText("list", std::string(nameOf(unit.list)));
  }
  return table;
}

}  // namespace strata
