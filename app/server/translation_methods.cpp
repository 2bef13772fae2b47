#include "app/server/translation_methods.h"

#include <algorithm>
#include <functional>

#include "core/base/error.h"
#include "core/base/progress.h"
#include "core/decode/candidates.h"
#include "core/decode/known_ids.h"
#include "core/decode/search_all.h"
#include "core/decode/sentence_lengths.h"
#include "core/decode/translator.h"
#include "core/run/request_params.h"
#include "core/text/replace.h"
#include "core/text/words.h"

namespace strata {
namespace {

using Models = std::shared_ptr<LoadedModels>;

constexpr std::size_t kMaximumTokens = 1024;  // per side; longer input is not a sentence

void checkLength(const RequestParams& params, const char* what, std::size_t tokens) {
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

Source sourceOf(RequestParams& params, TextPipeline& text) {
  const std::string raw = onOneLine(params.text("text"));
  const std::string units = text.units(Side::kSource, text.tokens(Side::kSource, raw));
  Source source{.words = wordsOf(units), .ids = text.ids(Side::kSource, units)};
  if (source.ids.empty()) params.refuse("'text' has no words");
  checkLength(params, "text", source.ids.size());
  source.words.push_back(text.vocabulary(Side::kSource).wordOf(kEndId));
  source.ids.push_back(kEndId);
  return source;
}

// Ids of WORDS, without </s>.
std::vector<TokenId> targetWords(RequestParams& params, const char* name, TextPipeline& text) {
  const Json& given = params.textOrTexts(name);
  std::vector<TokenId> ids;
  if (given.is_string()) {
    ids = text.encode(Side::kTarget, onOneLine(given.get<std::string>()));
  } else {
    try {
      ids = targetIds(text, given.get<std::vector<std::string>>());
    } catch (const Error& error) {
      params.refuse(error.what());
    }
  }
  checkLength(params, name, ids.size());
  return ids;
}

std::shared_ptr<ServedModel> modelWithText(LoadedModels& models, const ModelChoice& choice) {
  auto served = models.get(choice);
  if (!served->text) {
    throw Error("{} has no text pipeline (text/) next to it, so it cannot read text",
                served->folder.string());
  }
  return served;
}

BeamOptions searchOptions(RequestParams& params, const DecodingSpec& decoding) {
  const SearchRequest request = readSearch(params);
  BeamOptions options;
  try {
    options = beamOptionsOf(request, decoding);
  } catch (const Error& error) {
    params.refuse(error.what());
  }
  options.record = params.texts("record");
  return options;
}

Json search(const ServedModel& served, Source source, const std::vector<TokenId>& prefix,
            const BeamOptions& options) {
  serve::TranslateReply reply{.tokens = {}, .hypotheses = {}, .recorded = !options.record.empty()};
  const auto tooLong = longSentences(*served.model, CorpusSide::kSource, {&source.ids, 1});
  if (!tooLong.empty() && options.tooLong != TooLong::kError) {
    const SentenceLimit limit = *served.model->sentenceLimit();
    reply.warning = "the sentence " + lengthText(tooLong.front(), limit, options.tooLong);
    if (options.tooLong == TooLong::kCut) {
      cutSentence(source.ids, limit.tokens);
      cutSentence(source.words, limit.tokens);
    }
  }
  const BeamInput input{.sources = {source.ids}, .prefixes = {prefix}};
  reply.tokens = source.words;
  reply.hypotheses = searchAll(*served.model, input, options, 1).front();
  for (Hypothesis& hypothesis : reply.hypotheses)
    addWords(hypothesis, *served.text, served.text->tokensOf(Side::kTarget, hypothesis.tokens));
  return reply.json();
}

Json loadMethod(const Models& models, const Json& json, const std::stop_token&) {
  RequestParams params("load", json);
  const auto choice = ModelChoice::read(params);
  params.done();
  const auto served = models->get(choice);
  return serve::LoadReply{.parameters = served->model->parameterCount(),
                          .family = served->model->config().value("family", ""),
                          .step = served->step,
                          .recordings = served->model->recordable()}
      .json();
}

// The replacements that a request asks for; `options` refers to it. Means are of a run's validation
// set, which takes minutes.
class Replaced {
 public:
  Replaced(RequestParams& params, const TranslationModel& model, BeamOptions& options) {
    const auto texts = params.texts("intervene");
    if (texts.empty()) return;
    try {
      interventions_ = Interventions::parse(texts);
      interventions_.check(model.recordable());
    } catch (const Error& error) {
      params.refuse(error.what());
    }
    if (const auto means = interventions_.meansWanted(); !means.empty())
      params.refuse(
          fmt::format("the mean of '{}' is known to `strata-run translate --intervene` "
                      "only; give a number",
                      means.front()));
    options.interventions = &interventions_;
  }
  Replaced(const Replaced&) = delete;
  Replaced& operator=(const Replaced&) = delete;

 private:
  Interventions interventions_;
};

// What translate, force and step have in common.
struct Asked {
  RequestParams params;
  std::shared_ptr<ServedModel> served;
  Source source;

  Asked(const char* method, LoadedModels& models, const Json& json) : params(method, json) {
    served = modelWithText(models, ModelChoice::read(params));
    source = sourceOf(params, *served->text);
    params.flag("latest", false);
  }
};

Json translateMethod(const Models& models, const Json& json, const std::stop_token& stop) {
  Asked asked("translate", *models, json);
  BeamOptions options = searchOptions(asked.params, asked.served->decoding);
  const Replaced replaced(asked.params, *asked.served->model, options);
  asked.params.done();
  options.stop = stop;
  return search(*asked.served, asked.source, {}, options);
}

Json forceMethod(const Models& models, const Json& json, const std::stop_token& stop) {
  Asked asked("force", *models, json);
  const bool complete = asked.params.has("target");
  if (asked.params.has("prefix") == complete)
    asked.params.refuse("give either 'prefix' or 'target'");
  const auto words = targetWords(asked.params, complete ? "target" : "prefix", *asked.served->text);
  BeamOptions options = searchOptions(asked.params, asked.served->decoding);
  const Replaced replaced(asked.params, *asked.served->model, options);
  asked.params.done();
  options.stop = stop;
  if (complete) {  // nothing is left to choose: no more words than the target's, then </s>
    options.beam = options.nbest = 1;
    options.maxLengthFactor = options.maxLengthOffset = 0;
  }
  return search(*asked.served, asked.source, words, options);
}

// Log-probabilities [1, V] of the word after the prefix.
torch::Tensor nextWord(TranslationModel& model, const Source& source,
                       const std::vector<TokenId>& prefix, const std::stop_token& stop) {
  const torch::NoGradGuard frozen;
  requireKnownIds(model, CorpusSide::kSource, {&source.ids, 1});
  requireKnownIds(model, CorpusSide::kTarget, {&prefix, 1});
  requirePositions(model, CorpusSide::kSource, {&source.ids, 1});
  requirePositions(model, CorpusSide::kTarget, {&prefix, 1}, /*more=*/1);
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

Json stepMethod(const Models& models, const Json& json, const std::stop_token& stop) {
  Asked asked("step", *models, json);
  TextPipeline& text = *asked.served->text;
  const auto prefix = asked.params.has("prefix") ? targetWords(asked.params, "prefix", text)
                                                 : std::vector<TokenId>();
  const Vocabulary& vocabulary = text.vocabulary(Side::kTarget);
  const auto wanted = asked.params.integer("topk", 10, {1, kLargestBeam});
  asked.params.done();
  const auto count = static_cast<int>(std::min(wanted, vocabulary.size()));
  std::vector<Candidate> candidates;
  CandidateTable(nextWord(*asked.served->model, asked.source, prefix, stop), count)
      .best(0, 0, candidates);
  serve::StepReply reply{
      .tokens = asked.source.words, .prefix = vocabulary.wordsOf(prefix), .next = {}};
  for (const Candidate& candidate : candidates)
    reply.next.push_back({.token = vocabulary.wordOf(candidate.token),
                          .id = candidate.token,
                          .logProbability = candidate.logProbability});
  return reply.json();
}

}  // namespace

std::map<std::string, ServeMethod> translationMethods(std::shared_ptr<LoadedModels> models) {
  return {{"load", {std::bind_front(loadMethod, models)}},
          {"translate", {std::bind_front(translateMethod, models)}},
          {"force", {std::bind_front(forceMethod, models)}},
          {"step", {std::bind_front(stepMethod, models)}}};
}

}  // namespace strata
