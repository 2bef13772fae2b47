#include "core/run/serve_protocol.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace strata {

ModelChoice ModelChoice::read(RequestParams& params) {
  ModelChoice choice{.run = params.text("run", ""),
                     .model = params.text("model", ""),
                     .checkpoint = params.text("checkpoint", "")};
  if (choice.run.empty() == choice.model.empty())
    params.refuse("give either a 'run' or a 'model' (a folder)");
  return choice;
}

namespace serve {
namespace {

using Sizes = std::pair<std::int64_t, std::int64_t>;

template <typename Value>
std::optional<Value> optionalAt(const Json& json, const char* key) {
  const auto found = json.find(key);
  if (found == json.end() || found->is_null()) return {};
  return found->get<Value>();
}

template <typename Value>
void put(Json& json, const char* key, const std::optional<Value>& value) {
  if (value) json[key] = *value;
}

void put(Json& json, const ModelChoice& model) {
  if (!model.run.empty()) json["run"] = model.run;
  if (!model.model.empty()) json["model"] = model.model;
  if (!model.checkpoint.empty()) json["checkpoint"] = model.checkpoint;
}

}  // namespace

Json TranslateRequest::json() const {
  Json json = toJson(search);
  put(json, model);
  json["text"] = text;
  if (!record.empty()) json["record"] = record;
  if (!intervene.empty()) json["intervene"] = intervene;
  if (latest) json["latest"] = true;
  if (!prefixText.empty()) json["prefix"] = prefixText;
  if (!prefix.empty()) json["prefix"] = prefix;
  return json;
}

std::vector<std::string> TranslateRequest::command(const std::vector<std::string>& texts) const {
  std::vector<std::string> all{"translate", "--run", model.run + "@" + model.checkpoint};
  if (search.beam) all.insert(all.end(), {"--beam", fmt::format("{}", *search.beam)});
  all.insert(all.end(), {"--nbest", fmt::format("{}", search.nbest)});
  if (!prefix.empty())
    all.push_back(fmt::format("--prefix-tokens={}", fmt::join(prefix, " ")));
  else if (!prefixText.empty())
    all.push_back("--prefix-text=" + prefixText);
  for (const std::string& change : intervene) all.push_back("--intervene=" + change);
  for (const std::string& each : texts) all.push_back("--text=" + each);
  return all;
}

Json TranslateReply::json() const {
  Json list = Json::array();
  for (const Hypothesis& hypothesis : hypotheses) list.push_back(toJson(hypothesis, recorded));
  Json json{{"tokens", tokens}, {"hypotheses", std::move(list)}};
  if (!warning.empty()) json["warning"] = warning;
  return json;
}

TranslateReply TranslateReply::read(const Json& json) {
  TranslateReply reply{.tokens = json.at("tokens").get<std::vector<std::string>>(),
                       .hypotheses = {}};
  for (const Json& each : json.at("hypotheses")) {
    reply.hypotheses.push_back(hypothesisFrom(each));
    reply.recorded = reply.recorded || each.contains("recordings");
  }
  reply.warning = json.value("warning", "");
  return reply;
}

Json LoadRequest::json() const {
  Json json = Json::object();
  put(json, model);
  return json;
}

Json LoadReply::json() const {
  Json list = Json::array();
  for (const RecordingInfo& info : recordings) list.push_back(toJson(info));
  Json json{{"parameters", parameters}, {"family", family}, {"recordings", std::move(list)}};
  put(json, "step", step);
  return json;
}

LoadReply LoadReply::read(const Json& json) {
  LoadReply reply{.parameters = json.at("parameters").get<std::int64_t>(),
                  .family = json.at("family").get<std::string>(),
                  .step = optionalAt<std::int64_t>(json, "step"),
                  .recordings = {}};
  for (const Json& info : json.at("recordings"))
    reply.recordings.push_back(recordingInfoFrom(info));
  return reply;
}

Json StepRequest::json() const {
  Json json{{"text", text}, {"topk", topk}};
  put(json, model);
  if (!prefix.empty()) json["prefix"] = prefix;
  return json;
}

StepReply StepReply::read(const Json& json) {
  StepReply reply{.tokens = json.at("tokens").get<std::vector<std::string>>(),
                  .prefix = json.at("prefix").get<std::vector<std::string>>(),
                  .next = {}};
  for (const Json& next : json.at("next"))
    reply.next.push_back({.token = next.at("token").get<std::string>(),
                          .id = next.at("id").get<std::int32_t>(),
                          .logProbability = next.at("logProbability").get<double>()});
  return reply;
}

Json StepReply::json() const {
  Json list = Json::array();
  for (const Next& each : next)
    list.push_back(
        {{"token", each.token}, {"id", each.id}, {"logProbability", each.logProbability}});
  return {{"tokens", tokens}, {"prefix", prefix}, {"next", std::move(list)}};
}

Json PresetsRequest::json() const {
  Json json = Json::object();
  if (!dataset.empty()) json["dataset"] = dataset;
  put(json, "vocabulary", vocabulary);
  return json;
}

Json PresetsReply::json() const {
  Json paperList = Json::array(), presetList = Json::array();
  for (const Paper& paper : papers)
    paperList.push_back({{"name", paper.name}, {"title", paper.title}});
  for (const Preset& preset : presets) {
    Json entry{{"name", preset.name}, {"paper", preset.paper}, {"description", preset.description}};
    put(entry, "parameters", preset.parameters);
    if (!preset.problem.empty()) entry["problem"] = preset.problem;
    presetList.push_back(std::move(entry));
  }
  Json json{{"papers", std::move(paperList)}, {"presets", std::move(presetList)}};
  put(json, "vocabulary", vocabulary);
  return json;
}

PresetsReply PresetsReply::read(const Json& json) {
  PresetsReply reply;
  for (const Json& paper : json.at("papers"))
    reply.papers.push_back(
        {paper.at("name").get<std::string>(), paper.at("title").get<std::string>()});
  for (const Json& entry : json.at("presets"))
    reply.presets.push_back({.name = entry.at("name").get<std::string>(),
                             .paper = entry.at("paper").get<std::string>(),
                             .description = entry.at("description").get<std::string>(),
                             .parameters = optionalAt<std::int64_t>(entry, "parameters"),
                             .problem = entry.value("problem", "")});
  reply.vocabulary = optionalAt<Sizes>(json, "vocabulary");
  return reply;
}

Json DryRunRequest::json() const {
  Json json{{"preset", preset}};
  if (!dataset.empty()) json["dataset"] = dataset;
  if (!overrides.empty()) json["overrides"] = overrides;
  if (latest) json["latest"] = true;
  return json;
}

DryRunRequest DryRunRequest::read(const Json& json) {
  RequestParams params("dryRun", json);
  DryRunRequest request{.preset = params.text("preset"),
                        .dataset = params.text("dataset", ""),
                        .overrides = params.texts("overrides"),
                        .latest = params.flag("latest", false)};
  params.done();
  if (request.preset.empty()) params.refuse("'preset' is empty; give the name of a preset");
  return request;
}

namespace {

Json jsonOf(const std::vector<DryRunReply::Batches>& batches) {
  Json list = Json::array();
  for (const DryRunReply::Batches& each : batches)
    list.push_back({{"longest", each.longest},
                    {"batches", each.batches},
                    {"sentences", each.sentences},
                    {"tokens", each.tokens},
                    {"positions", each.positions}});
  return list;
}

std::vector<DryRunReply::Batches> batchesFrom(const Json& list) {
  std::vector<DryRunReply::Batches> batches;
  for (const Json& each : list)
    batches.push_back({.longest = each.at("longest").get<std::int64_t>(),
                       .batches = each.at("batches").get<std::int64_t>(),
                       .sentences = each.at("sentences").get<std::int64_t>(),
                       .tokens = each.at("tokens").get<std::int64_t>(),
                       .positions = each.at("positions").get<std::int64_t>()});
  return batches;
}

}  // namespace

Json DryRunReply::json() const {
  Json json{{"config", config}, {"learningRate", learningRate}};
  if (!network.parts.empty()) json["network"] = network.json();
  if (!estimate) return json;
  json.update({{"parameters", estimate->parameters},
               {"memoryBytes", estimate->memoryBytes},
               {"tokensPerSecond", estimate->tokensPerSecond},
               {"updatesPerEpoch", estimate->updatesPerEpoch},
               {"padding", estimate->padding},
               {"leftOut", estimate->leftOut}});
  put(json, "secondsPerUpdate", estimate->secondsPerUpdate);
  put(json, "secondsEstimate", estimate->seconds);
  put(json, "updates", estimate->updates);
  if (estimate->range) json["secondsRange"] = {estimate->range->least, estimate->range->most};
  if (estimate->basis) json["basis"] = estimate->basis->json();
  json["batches"] = jsonOf(estimate->batches);
  return json;
}

DryRunReply DryRunReply::read(const Json& json) {
  DryRunReply reply;
  reply.config = json.at("config");
  reply.learningRate = json.at("learningRate").get<decltype(reply.learningRate)>();
  if (json.contains("network")) reply.network = Network::read(json["network"]);
  if (!json.contains("parameters")) return reply;
  reply.estimate = Estimate{.parameters = json.at("parameters").get<std::int64_t>(),
                            .memoryBytes = json.at("memoryBytes").get<std::int64_t>(),
                            .tokensPerSecond = json.at("tokensPerSecond").get<double>(),
                            .updatesPerEpoch = json.at("updatesPerEpoch").get<std::int64_t>(),
                            .padding = json.at("padding").get<double>(),
                            .leftOut = json.at("leftOut").get<std::int64_t>(),
                            .secondsPerUpdate = optionalAt<double>(json, "secondsPerUpdate"),
                            .seconds = optionalAt<double>(json, "secondsEstimate"),
                            .updates = optionalAt<std::int64_t>(json, "updates")};
  if (json.contains("secondsRange"))
    reply.estimate->range = {json["secondsRange"].at(0).get<double>(),
                             json["secondsRange"].at(1).get<double>()};
  if (json.contains("basis")) reply.estimate->basis = TimeBasis::read(json["basis"]);
  if (json.contains("batches")) reply.estimate->batches = batchesFrom(json["batches"]);
  return reply;
}

}  // namespace serve
}  // namespace strata
