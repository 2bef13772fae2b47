// What a trained model does with sentences.
#include <fmt/format.h>

#include "app/mcp/schema.h"
#include "app/mcp/tools.h"
#include "core/base/error.h"
#include "core/metrics/word_diff.h"
#include "core/run/serve_protocol.h"
#include "core/text/words.h"

namespace strata::mcp {
namespace {

using EnginePointer = std::shared_ptr<Engine>;
using serve::TranslateReply;
using serve::TranslateRequest;

constexpr std::size_t kMostSentences = 200;
constexpr std::int64_t kMostBeam = 100;

// What translate and intervene have in common.
struct Sentences {
  std::vector<std::string> texts;
  TranslateRequest request;
};

Sentences sentencesOf(RequestParams& params) {
  Sentences sentences{.texts = params.texts("sentences"), .request = {}};
  if (sentences.texts.empty()) params.refuse("'sentences' has no sentence");
  if (sentences.texts.size() > kMostSentences)
    params.refuse(fmt::format("'sentences' has {} sentences, {} are allowed; use several calls",
                              sentences.texts.size(), kMostSentences));
  TranslateRequest& request = sentences.request;
  request.model = {.run = params.text("run"), .checkpoint = params.text("checkpoint", "")};
  if (params.has("beam"))
    request.search.beam = static_cast<int>(params.integer("beam", 1, {1, kMostBeam}));
  return sentences;
}

TranslateReply translated(Engine& engine, const TranslateRequest& request, const ToolCall& call) {
  return TranslateReply::read(engine.call("translate", request.json(), call.stop));
}

Json translate(const EnginePointer& engine, const ToolCall& call) {
  RequestParams params("translate", call.arguments);
  Sentences sentences = sentencesOf(params);
  TranslateRequest& request = sentences.request;
  request.search.nbest = static_cast<int>(params.integer("nbest", 1, {1, kMostBeam}));
  request.search.tooLong = TooLong::kSkip;  // one sentence does not end the others' translation
  if (params.has("length_penalty"))
    request.search.lengthPenalty = LengthRule::parse(params.text("length_penalty"));
  params.done();
  Json results = Json::array();
  for (const std::string& text : sentences.texts) {
    request.text = text;
    const TranslateReply reply = translated(*engine, request, call);
    results.push_back({{"source", text},
                       {"source_tokens", reply.tokens},
                       {"translations", jsonList(reply.hypotheses, [](const Hypothesis& each) {
                          return Json{{"text", each.text},
                                      {"score", each.score},
                                      {"log_probability", each.logProbability},
                                      {"tokens", each.words},
                                      {"token_log_probabilities", each.tokenLogProbabilities}};
                        })}});
    if (!reply.warning.empty()) results.back()["warning"] = reply.warning;
    call.progress(static_cast<double>(results.size()), static_cast<double>(sentences.texts.size()),
                  "sentences translated");
  }
  return {{"results", std::move(results)}};
}

std::string joined(const std::vector<std::string>& words, std::size_t begin, std::size_t end) {
  std::string text;
  for (std::size_t i = begin; i < end; ++i) text += (text.empty() ? "" : " ") + words[i];
  return text;
}

// What differs, in order: words of the first text and those in their place in the second.
Json changesOf(const std::string& before, const std::string& after) {
  const auto left = wordsOf(before), right = wordsOf(after);
  Json changes = Json::array();
  bool open = false;  // the last change goes on
  for (const DiffRun& run : wordDiff(left, right)) {
    if (run.kind == DiffKind::kSame) {
      open = false;
      continue;
    }
    if (!open) changes.push_back({{"before", ""}, {"after", ""}});
    open = true;
    if (run.kind == DiffKind::kLeft)
      changes.back()["before"] = joined(left, run.leftBegin, run.leftEnd);
    else
      changes.back()["after"] = joined(right, run.rightBegin, run.rightEnd);
  }
  return changes;
}

// The log-probability of a translation in the model with the request's interventions.
Json forced(Engine& engine, const TranslateRequest& request, const Hypothesis& hypothesis,
            const ToolCall& call) {
  std::vector<std::string> words = hypothesis.words;
  if (!words.empty()) words.pop_back();  // </s>
  if (words.empty()) return nullptr;
  TranslateRequest plain = request;
  plain.search = {};
  Json params = plain.json();
  params["target"] = words;
  const auto reply = TranslateReply::read(engine.call("force", params, call.stop));
  return reply.hypotheses.at(0).logProbability;
}

Json intervened(Engine& engine, const TranslateRequest& request, const ToolCall& call) {
  TranslateRequest plain = request;
  plain.intervene.clear();
  const TranslateReply first = translated(engine, plain, call);
  const TranslateReply second = translated(engine, request, call);
  const Hypothesis& before = first.hypotheses.at(0);
  const Hypothesis& after = second.hypotheses.at(0);
  const Json held = forced(engine, request, before, call);
  return {{"source", request.text},
          {"before", {{"text", before.text}, {"log_probability", before.logProbability}}},
          {"after", {{"text", after.text}, {"log_probability", after.logProbability}}},
          {"same", before.words == after.words},
          {"changes", changesOf(before.text, after.text)},
          {"before_with_intervention", {{"log_probability", held}}},
          {"log_probability_change",
           held.is_null() ? Json(nullptr) : Json(held.get<double>() - before.logProbability)}};
}

Json intervene(const EnginePointer& engine, const ToolCall& call) {
  RequestParams params("intervene", call.arguments);
  Sentences sentences = sentencesOf(params);
  sentences.request.intervene = params.texts("interventions");
  params.done();
  if (sentences.request.intervene.empty())
    params.refuse("'interventions' is empty; list_internals names what can be replaced");
  Json results = Json::array();
  std::size_t same = 0;
  for (const std::string& text : sentences.texts) {
    sentences.request.text = text;
    results.push_back(intervened(*engine, sentences.request, call));
    same += results.back()["same"].get<bool>() ? 1 : 0;
    call.progress(static_cast<double>(results.size()), static_cast<double>(sentences.texts.size()),
                  "sentences compared");
  }
  const std::size_t changed = results.size() - same;
  return {{"results", std::move(results)}, {"changed", changed}, {"unchanged", same}};
}

Json listInternals(const EnginePointer& engine, const ToolCall& call) {
  RequestParams params("list_internals", call.arguments);
  const serve::LoadRequest request{
      .model = {.run = params.text("run"), .checkpoint = params.text("checkpoint", "")}};
  params.done();
  const auto reply = serve::LoadReply::read(engine->call("load", request.json(), call.stop));
  return {{"family", reply.family},
          {"parameters", reply.parameters},
          {"step", orNull(reply.step)},
          {"internals",
           jsonList(reply.recordings, [](const RecordingInfo& each) { return toJson(each); })}};
}

Json sentenceProperties() {
  return {{"run", textSchema("Name or number of a run that has saved a checkpoint")},
          {"sentences",
           listSchema({{"type", "string"}}, "Source sentences as plain text, 200 at most")},
          {"checkpoint", textSchema("best, last or a step; +ema added: the moving average of the "
                                    "weights (default: best, or last if none was scored)")},
          {"beam", integerSchema("Hypotheses kept by the search; 1 is greedy (default: the run's "
                                 "setting)",
                                 1, kMostBeam)}};
}

Tool translateTool(const EnginePointer& engine) {
  Json input = sentenceProperties();
  input["nbest"] =
      integerSchema("Translations per sentence, at most the beam (default 1)", 1, kMostBeam);
  input["length_penalty"] =
      textSchema("How scores are normalised: none, mean, gnmt:ALPHA (default: the run's setting)");
  return {.name = "translate",
          .title = "Translate sentences",
          .description =
              "Translates sentences with the model that a run has trained, by beam search, and "
              "gives each translation with its log-probability and those of its tokens. A sentence "
              "that is too long for the model has an empty translation and a warning. The first "
              "call loads the model, which takes seconds. Nothing is stored.",
          .input = argumentsSchema(input, {"run", "sentences"}),
          .output = resultSchema(
              {{"results", listSchema({{"type", "object"}}, "One per sentence, in order")}},
              {"results"}),
          .run = [engine](const ToolCall& call) { return translate(engine, call); }};
}

Tool interveneTool(const EnginePointer& engine) {
  Json input = sentenceProperties();
  input["interventions"] = listSchema(
      {{"type", "string"}},
      "What is replaced in the model while it translates: NAME=zero, NAME=0.5 (a number), "
      "NAME[head=2]=zero, NAME[hop=1,level=3]=mask, NAME[target=4]=read:2*0.7,5*0.3 (attention "
      "weights at one output token). NAME is one of list_internals");
  const Json side =
      resultSchema({{"text", {{"type", "string"}}}, {"log_probability", numberSchema("Natural")}},
                   {"text", "log_probability"});
  const Json result = resultSchema({{"source", {{"type", "string"}}},
                                    {"before", side},
                                    {"after", side},
                                    {"same", {{"type", "boolean"}}}},
                                   {"source", "before", "after", "same"});
  return {.name = "intervene",
          .title = "Translate with replaced internals",
          .description =
              "Shows what a part of the model does: translates each sentence as the model is and "
              "with internal values replaced, tells which words change, and how much less (or "
              "more) likely the unchanged translation becomes.",
          .input = argumentsSchema(input, {"run", "sentences", "interventions"}),
          .output = resultSchema({{"results", listSchema(result, "One per sentence, in order")},
                                  {"changed", {{"type", "integer"}}},
                                  {"unchanged", {{"type", "integer"}}}},
                                 {"results", "changed", "unchanged"}),
          .run = [engine](const ToolCall& call) { return intervene(engine, call); }};
}

Tool internalsTool(const EnginePointer& engine) {
  return {.name = "list_internals",
          .title = "List a model's internals",
          .description =
              "Lists the internal values of a run's model that can be replaced by `intervene`: "
              "name, kind (attention, hop weights, states, ...), side, layer and axes.",
          .input = argumentsSchema({{"run", textSchema("Name or number of the run")},
                                    {"checkpoint", textSchema("best, last or a step")}},
                                   {"run"}),
          .output = resultSchema({{"family", {{"type", "string"}}},
                                  {"parameters", {{"type", "integer"}}},
                                  {"internals", listSchema({{"type", "object"}}, "One each")}},
                                 {"family", "parameters", "internals"}),
          .run = [engine](const ToolCall& call) { return listInternals(engine, call); }};
}

}  // namespace

std::vector<Tool> modelTools(std::shared_ptr<Engine> engine) {
  return {translateTool(engine), interveneTool(engine), internalsTool(engine)};
}

}  // namespace strata::mcp
