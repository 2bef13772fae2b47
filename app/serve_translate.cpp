#include "app/serve_translate.h"

#include <algorithm>
#include <cctype>

#include "app/serve_params.h"
#include "core/base/error.h"
#include "core/base/progress.h"
#include "core/decode/beam_search.h"
#include "core/decode/candidates.h"
#include "core/decode/known_ids.h"
#include "core/text/words.h"

namespace strata {
namespace {

constexpr std::int64_t kMaximumBeam = 1000;
constexpr double kMaximumPenalty = 1e6;
constexpr std::size_t kMaximumTokens = 1024;  // per side; longer input is not a sentence

ModelChoice choiceOf(ServeParams& params) {
  ModelChoice choice{.run = params.text("run", ""),
                     .model = params.text("model", ""),
                     .checkpoint = params.text("checkpoint", "")};
  if (choice.run.empty() == choice.model.empty())
    params.refuse("give either a 'run' or a 'model' (a folder)");
  return choice;
}

std::string oneLine(std::string text) {
  std::replace_if(
      text.begin(), text.end(), [](char c) { return c == '\n' || c == '\r' || c == '\t'; }, ' ');
  return text;
}

void checkLength(const ServeParams& params, const char* what, std::size_t tokens) {
  if (tokens > kMaximumTokens) {
    params.refuse(fmt::format("'{}' has {} tokens, {} are allowed; split it into sentences", what,
                              tokens, kMaximumTokens));
  }
}

// A source sentence as the model's input.
struct Source {
  std::vector<std::string> words;
  std::vector<TokenId> ids;
};

Source sourceOf(ServeParams& params, TextPipeline& text) {
  const std::string raw = oneLine(params.text("text"));
  const std::string units = text.units(Side::kSource, text.tokens(Side::kSource, raw));
  Source source{.words = wordsOf(units), .ids = text.ids(Side::kSource, units)};
  if (source.ids.empty()) params.refuse("'text' has no words");
  checkLength(params, "text", source.ids.size());
  source.words.push_back(text.vocabulary(Side::kSource).wordOf(kEndId));
  source.ids.push_back(kEndId);
  return source;
}

// Ids of WORDS, without </s>.
std::vector<TokenId> targetWords(ServeParams& params, const char* name, TextPipeline& text) {
  const Json& given = params.textOrTexts(name);
  std::vector<TokenId> ids;
  if (given.is_string()) {
    ids = text.encode(Side::kTarget, oneLine(given.get<std::string>()));
  } else {
    const Vocabulary& vocabulary = text.vocabulary(Side::kTarget);
    auto words = given.get<std::vector<std::string>>();
    if (!words.empty() && words.back() == vocabulary.wordOf(kEndId)) words.pop_back();
    for (const std::string& word : words) {
      ids.push_back(vocabulary.idOf(word));
      if (ids.back() == kUnknownId && word != vocabulary.wordOf(kUnknownId))
        params.refuse(fmt::format("'{}' is not in the target vocabulary", word));
    }
  }
  checkLength(params, name, ids.size());
  return ids;
}

Json namesOf(const std::vector<TokenId>& ids, const Vocabulary& vocabulary) {
  Json names = Json::array();
  for (const TokenId id : ids) names.push_back(vocabulary.wordOf(id));
  return names;
}

Json infoJson(const RecordingInfo& info) {
  return {{"name", info.name},
          {"kind", info.kind},
          {"side", info.side},
          {"layer", info.layer},
          {"axes", info.axes}};
}

Json hypothesisJson(const Hypothesis& hypothesis, const TextPipeline& text, bool recorded) {
  const std::string tokens = text.tokensOf(Side::kTarget, hypothesis.tokens);
  Json json{{"text", text.text(Side::kTarget, tokens)},
            {"tokens", namesOf(hypothesis.tokens, text.vocabulary(Side::kTarget))},
            {"score", hypothesis.score},
            {"logProbability", hypothesis.logProbability},
            {"logProbabilities", hypothesis.tokenLogProbabilities}};
  if (!recorded) return json;
  Json recordings = Json::array();
  for (const Recording& recording : hypothesis.recordings) {
    Json entry = infoJson(recording.info);
    entry["shape"] = recording.shape;
    entry["values"] = recording.values;
    recordings.push_back(std::move(entry));
  }
  json["recordings"] = std::move(recordings);
  return json;
}

std::shared_ptr<ServedModel> modelWithText(ServeModels& models, const ModelChoice& choice) {
  auto served = models.get(choice);
  if (!served->text) {
    throw Error("{} has no text pipeline (text/) next to it, so it cannot read text",
                served->folder.string());
  }
  return served;
}

// Search options: those of the request, else the run's settings.
BeamOptions searchOptions(ServeParams& params, const DecodingSpec& decoding) {
  BeamOptions options;
  options.beam = static_cast<int>(params.integer("beam", decoding.beam, 1, kMaximumBeam));
  options.nbest = static_cast<int>(params.integer("nbest", 1, 1, kMaximumBeam));
  if (options.nbest > options.beam)
    params.refuse(
        fmt::format("'nbest' ({}) cannot exceed 'beam' ({})", options.nbest, options.beam));
  options.lengthRule = decoding.lengthPenalty;
  if (params.has("lengthPenalty"))
    options.lengthRule = LengthRule::parse(params.text("lengthPenalty"));
  options.maxLengthFactor = decoding.maxLengthFactor;
  options.maxLengthOffset = decoding.maxLengthOffset;
  if (params.has("maxLength")) {
    options.maxLengthFactor = 0;
    options.maxLengthOffset = static_cast<double>(
        params.integer("maxLength", 1, 1, static_cast<std::int64_t>(kMaximumTokens)));
  }
  options.noRepeat = static_cast<int>(params.integer("noRepeat", 0, 0, kMaximumBeam));
  options.unknownPenalty = params.number("unknownPenalty", 0, 0, kMaximumPenalty);
  options.diversity = params.number("diversity", 0, 0, kMaximumPenalty);
  options.record = params.texts("record");
  return options;
}

Json search(const ServedModel& served, const Source& source, const std::vector<TokenId>& prefix,
            const BeamOptions& options) {
  BeamInput input{.sources = {source.ids}, .prefixes = {prefix}};
  const auto found = beamSearch(*served.model, input, options);
  Json hypotheses = Json::array();
  for (const Hypothesis& hypothesis : found.front())
    hypotheses.push_back(hypothesisJson(hypothesis, *served.text, !options.record.empty()));
  return {{"tokens", source.words}, {"hypotheses", std::move(hypotheses)}};
}

Json load(ServeModels& models, const Json& json) {
  ServeParams params("load", json);
  const ModelChoice choice = choiceOf(params);
  params.done();
  const auto served = models.get(choice);
  Json recordings = Json::array();
  for (const RecordingInfo& info : served->model->recordable())
    recordings.push_back(infoJson(info));
  Json result{{"parameters", served->model->parameterCount()},
              {"family", served->model->config().value("family", "")},
              {"recordings", std::move(recordings)}};
  if (served->step) result["step"] = *served->step;
  return result;
}

Json translate(ServeModels& models, const Json& json, const std::stop_token& stop) {
  ServeParams params("translate", json);
  const ModelChoice choice = choiceOf(params);
  const auto served = modelWithText(models, choice);
  const Source source = sourceOf(params, *served->text);
  BeamOptions options = searchOptions(params, served->decoding);
  params.flag("latest", false);
  params.done();
  options.stop = stop;
  return search(*served, source, {}, options);
}

Json force(ServeModels& models, const Json& json, const std::stop_token& stop) {
  ServeParams params("force", json);
  const ModelChoice choice = choiceOf(params);
  if (params.has("prefix") == params.has("target"))
    params.refuse("give either 'prefix' or 'target'");
  const bool whole = params.has("target");
  const auto served = modelWithText(models, choice);
  const Source source = sourceOf(params, *served->text);
  const auto words = targetWords(params, whole ? "target" : "prefix", *served->text);
  BeamOptions options = searchOptions(params, served->decoding);
  params.flag("latest", false);
  params.done();
  options.stop = stop;
  if (whole) {  // forced search: exactly the target's words, then </s>
    options.beam = options.nbest = 1;
    options.maxLengthFactor = options.maxLengthOffset = 0;
  }
  return search(*served, source, words, options);
}

// Log-probabilities [1, V] of the word after the prefix.
torch::Tensor nextWord(TranslationModel& model, const Source& source,
                       const std::vector<TokenId>& prefix, const std::stop_token& stop) {
  const torch::NoGradGuard frozen;
  requireKnownIds(model, CorpusSide::kSource, {&source.ids, 1});
  requireKnownIds(model, CorpusSide::kTarget, {&prefix, 1});
  const auto device = model.device();
  const auto row = [&](const std::vector<TokenId>& ids) {
    return torch::tensor(std::vector<std::int64_t>(ids.begin(), ids.end()), torch::kInt64)
        .unsqueeze(0)
        .to(device);
  };
  const auto lengths = torch::tensor({static_cast<std::int64_t>(source.ids.size())}, torch::kInt64);
  const auto memory = model.encode(makeSourceBatch(row(source.ids), lengths), nullptr);
  checkCancelled(stop);
  std::vector<TokenId> fed{kEndId};
  fed.insert(fed.end(), prefix.begin(), prefix.end());
  const auto features = model.decode(*memory, row(fed), nullptr);
  return model.logProbabilities(features.select(1, -1)).to(torch::kCPU, torch::kFloat32);
}

Json step(ServeModels& models, const Json& json, const std::stop_token& stop) {
  ServeParams params("step", json);
  const ModelChoice choice = choiceOf(params);
  const auto served = modelWithText(models, choice);
  const Source source = sourceOf(params, *served->text);
  const auto prefix =
      params.has("prefix") ? targetWords(params, "prefix", *served->text) : std::vector<TokenId>();
  const Vocabulary& vocabulary = served->text->vocabulary(Side::kTarget);
  const auto wanted = params.integer("topk", 10, 1, kMaximumBeam);
  params.flag("latest", false);
  params.done();
  const auto count = static_cast<int>(std::min(wanted, vocabulary.size()));
  std::vector<Candidate> candidates;
  CandidateTable(nextWord(*served->model, source, prefix, stop), count).best(0, 0, candidates);
  Json next = Json::array();
  for (const Candidate& candidate : candidates) {
    next.push_back({{"token", vocabulary.wordOf(candidate.token)},
                    {"id", candidate.token},
                    {"logProbability", candidate.logProbability}});
  }
  return {
      {"tokens", source.words}, {"prefix", namesOf(prefix, vocabulary)}, {"next", std::move(next)}};
}

}  // namespace

std::map<std::string, ServeMethod> translationMethods(std::shared_ptr<ServeModels> models) {
  return {
      {"load", {[models](const Json& params, const auto&) { return load(*models, params); }}},
      {"translate", {[models](const Json& params, const std::stop_token& stop) {
         return translate(*models, params, stop);
       }}},
      {"force", {[models](const Json& params, const std::stop_token& stop) {
         return force(*models, params, stop);
       }}},
      {"step", {[models](const Json& params, const std::stop_token& stop) {
         return step(*models, params, stop);
       }}},
  };
}

}  // namespace strata
