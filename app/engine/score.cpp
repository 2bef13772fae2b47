// strata-run score: log-probabilities that a model assigns to given translations.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdio>
#include <memory>
#include <numeric>

#include "app/commands/sentence_options.h"
#include "app/contrastive.h"
#include "app/engine/interventions.h"
#include "app/engine/model_options.h"
#include "app/engine/search_options.h"
#include "app/engine/verbs.h"
#include "core/base/error.h"
#include "core/base/parse_number.h"
#include "core/base/progress.h"
#include "core/decode/scorer.h"
#include "core/text/words.h"

namespace strata {
namespace {

struct ScoreRequest {
  ModelOptions model;
  SentenceOptions reading;
  std::string source, target, contrastive, compute = "float32";
  bool tokens = false, ids = false;
  InterventionFlags replaced;
};

// Parses "5 17 2" as ids; </s> is appended if absent.
std::vector<TokenId> idsOf(const std::string& line, std::int64_t vocabulary,
                           const std::string& where) {
  std::vector<TokenId> ids;
  forEachWord(line, [&](std::string_view word) {
    const auto id = parseNumber<TokenId>(word);
    if (!id) throw usageError("{}: '{}' is not a list of token ids", where, line);
    if (*id < 0 || *id >= vocabulary)
      throw usageError("{}: the id {} is outside [0, {})", where, *id, vocabulary);
    ids.push_back(*id);
  });
  if (ids.empty() || ids.back() != kEndId) ids.push_back(kEndId);
  return ids;
}

std::vector<std::vector<TokenId>> encoded(const SentenceText& read, const ScoreRequest& request,
                                          const ServedModel& served, Side side) {
  const char* key = side == Side::kSource ? "src_vocab" : "tgt_vocab";
  const auto vocabulary = served.model->config().at(key).get<std::int64_t>();
  std::vector<std::vector<TokenId>> sentences;
  for (const std::string& line : read.lines) {
    if (request.ids) {
      sentences.push_back(
          idsOf(line, vocabulary, fmt::format("{}:{}", read.name, sentences.size() + 1)));
    } else {
      TextPipeline& text = textOf(served, "; --ids scores token ids without one");
      sentences.push_back(withEnd(text.encode(side, line)));
    }
  }
  return sentences;
}

// Both files, in one order. Of files of several languages the model's own are meant.
ScoredPairs readPairs(const ScoreRequest& request, const ServedModel& served) {
  SentenceOptions reading = request.reading;
  if (!request.ids) {
    const TextPipeline& text = textOf(served, "; --ids scores token ids without one");
    if (reading.sourceLanguage.empty()) reading.sourceLanguage = text.side(Side::kSource).language;
    if (reading.targetLanguage.empty()) reading.targetLanguage = text.side(Side::kTarget).language;
  }
  const SentenceText source = readSentences(reading.input(request.source, TextRole::kSource));
  SentenceText target = readSentences(reading.input(request.target, TextRole::kReference));
  putInOrder(source, target);
  return {encoded(source, request, served, Side::kSource),
          encoded(target, request, served, Side::kTarget)};
}

void print(const std::vector<std::vector<double>>& scores, const ScoreRequest& request, bool json) {
  Json all = Json::array();
  for (const auto& tokens : scores) {
    const double sum = std::accumulate(tokens.begin(), tokens.end(), 0.0);
    if (json) {
      Json entry{{"logProbability", sum}, {"tokens", tokens.size()}};
      if (request.tokens) entry["logProbabilities"] = tokens;
      all.push_back(std::move(entry));
      continue;
    }
    fmt::print("{:.6f}\t{}", sum, tokens.size());
    if (request.tokens) fmt::print("\t{:.6f}", fmt::join(tokens, " "));
    fmt::print("\n");
  }
  if (json) fmt::print("{}\n", Json{{"scores", std::move(all)}}.dump());
}

std::vector<std::vector<double>> scoresOf(const ScoreRequest& request, const ServedModel& served,
                                          const ScoredPairs& pairs) {
  Progress& progress = terminalProgress();
  progress.begin("Scoring", static_cast<std::int64_t>(pairs.sources.size()), "pairs");
  auto scores = scorePairs(*served.model, pairs,
                           {.batchSentences = request.model.batch,
                            .advance = [&](std::int64_t done) { progress.advance(done); },
                            .interventions = request.replaced.given(),
                            .compute = computeNamed(request.compute)});
  progress.end();
  return scores;
}

// The accuracy on contrastive pairs, by the distance of the words that must agree.
void scoreContrastive(const ScoreRequest& request, const ServedModel& served, bool json) {
  TextPipeline& text = textOf(served);
  const ContrastiveCases cases = readContrastive(request.contrastive);
  ScoredPairs pairs;
  for (const auto* targets : {&cases.correct, &cases.wrong}) {
    for (std::size_t i = 0; i < targets->size(); ++i) {
      pairs.sources.push_back(withEnd(text.encode(Side::kSource, cases.sources[i])));
      pairs.targets.push_back(withEnd(text.encode(Side::kTarget, (*targets)[i])));
    }
  }
  std::vector<double> sums;
  for (const auto& tokens : scoresOf(request, served, pairs))
    sums.push_back(std::accumulate(tokens.begin(), tokens.end(), 0.0));
  const auto middle = sums.begin() + static_cast<std::ptrdiff_t>(cases.correct.size());
  const auto rows = accuracyByDistance(cases, {sums.begin(), middle}, {middle, sums.end()});
  fmt::print("{}{}", json ? contrastiveJson(rows).dump(2) : contrastiveTable(rows),
             json ? "\n" : "");
}

void score(ScoreRequest& request, const GlobalOptions& global) {
  if (request.contrastive.empty() && (request.source.empty() || request.target.empty()))
    throw usageError("give --source and --target, or --contrastive");
  const auto served = openModel(request.model, global);
  request.replaced.prepare(*served, request.model, global);
  if (!request.contrastive.empty()) return scoreContrastive(request, *served, global.json);
  const ScoredPairs pairs = readPairs(request, *served);
  if (pairs.sources.size() != pairs.targets.size()) {
    throw usageError("{} has {} lines and {} has {}: they must be parallel", request.source,
                     pairs.sources.size(), request.target, pairs.targets.size());
  }
  print(scoresOf(request, *served, pairs), request, global.json);
}

}  // namespace

void addScoreCommand(CLI::App& app, const GlobalOptions& global) {
  auto request = std::make_shared<ScoreRequest>();
  CLI::App* verb = app.add_subcommand("score", "Compute log-probabilities of given translations");
  addModelOptions(*verb, request->model);
  auto* source = verb->add_option("--source", request->source, "File of source sentences");
  auto* target = verb->add_option("--target", request->target, "File of their translations");
  addSentenceOptions(*verb, request->reading);
  verb->add_option(
          "--contrastive", request->contrastive,
          "Instead of two files: contrastive pairs of a right and a wrong translation (data "
          "generate --contrastive); prints accuracy by distance")
      ->excludes(source)
      ->excludes(target);
  verb->add_flag("--tokens", request->tokens, "Print each token's log-probability too");
  addComputeOption(*verb, request->compute);
  addInterventionOption(*verb, request->replaced);
  verb->add_flag("--ids", request->ids, "Lines are token ids; </s> (2) is appended if absent");
  verb->footer(
      "One line per pair: log-probability, tab, number of tokens (</s> included).\n"
      "Example:\n"
      "  strata-run score --run first@best --source test.de --target test.en --tokens\n"
      "  strata-run score --run first@best --contrastive datasets/grammar/contrastive/de-en.tsv");
  verb->callback([request, &global] { score(*request, global); });
}

}  // namespace strata
