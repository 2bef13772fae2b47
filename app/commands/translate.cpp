// strata-run translate: text to text with a trained model.
#include <fmt/format.h>

#include <cstdio>
#include <map>
#include <memory>

#include "app/commands/model_options.h"
#include "app/commands/search_options.h"
#include "app/commands/verbs.h"
#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/progress.h"
#include "core/base/safetensors.h"
#include "core/data/lines.h"
#include "core/decode/translator.h"

namespace strata {
namespace {

struct TranslateRequest {
  ModelOptions model;
  SearchFlags search;
  std::string input, output, prefix, recordTo;
  std::vector<std::string> record;
  bool scores = false, tokens = false;
};

TranslateOptions optionsOf(const TranslateRequest& request, const DecodingSpec& decoding) {
  TranslateOptions options;
  options.search = searchOptionsOf(request.search, decoding);
  options.search.record = request.record;
  options.batchSentences = request.model.batch;
  return options;
}

using Results = std::vector<std::vector<Hypothesis>>;

std::string shown(Translator& translator, const Hypothesis& hypothesis, bool tokens) {
  return tokens ? translator.tokensOf(hypothesis) : translator.textOf(hypothesis);
}

// One line a sentence; with --nbest one a hypothesis behind sentence and rank; with --scores score
// and log-probability stand in front of the text.
std::string linesOf(const TranslateRequest& request, Translator& translator,
                    const Results& results) {
  std::string out;
  for (std::size_t sentence = 0; sentence < results.size(); ++sentence) {
    for (std::size_t rank = 0; rank < results[sentence].size(); ++rank) {
      const Hypothesis& hypothesis = results[sentence][rank];
      if (request.search.nbest > 0) out += fmt::format("{}\t{}\t", sentence + 1, rank + 1);
      if (request.scores)
        out += fmt::format("{:.6f}\t{:.6f}\t", hypothesis.score, hypothesis.logProbability);
      out += shown(translator, hypothesis, request.tokens) + "\n";
    }
  }
  return out;
}

Json jsonOf(Translator& translator, const Results& results, const Vocabulary& words) {
  Json sentences = Json::array();
  for (const auto& hypotheses : results) {
    Json list = Json::array();
    for (const Hypothesis& hypothesis : hypotheses) {
      Json tokens = Json::array();
      for (const TokenId id : hypothesis.tokens) tokens.push_back(words.wordOf(id));
      list.push_back({{"text", translator.textOf(hypothesis)},
                      {"tokens", std::move(tokens)},
                      {"score", hypothesis.score},
                      {"logProbability", hypothesis.logProbability},
                      {"logProbabilities", hypothesis.tokenLogProbabilities}});
    }
    sentences.push_back({{"hypotheses", std::move(list)}});
  }
  return {{"translations", std::move(sentences)}};
}

// Tensors named SENTENCE.RANK.NAME, both from 1; the axes of each name are in the file's metadata.
void writeRecorded(const std::string& path, const Results& results) {
  std::map<std::string, TensorView> views;
  std::map<std::string, std::string> axes;
  for (std::size_t sentence = 0; sentence < results.size(); ++sentence) {
    for (std::size_t rank = 0; rank < results[sentence].size(); ++rank) {
      for (const Recording& recording : results[sentence][rank].recordings) {
        const auto* bytes = reinterpret_cast<const char*>(recording.values.data());
        views[fmt::format("{}.{}.{}", sentence + 1, rank + 1, recording.info.name)] = {
            DType::kFloat32, recording.shape, {bytes, recording.values.size() * sizeof(float)}};
        std::string joined;
        for (const std::string& axis : recording.info.axes)
          joined += (joined.empty() ? "" : ",") + axis;
        axes["axes." + recording.info.name] = joined;
      }
    }
  }
  if (views.empty())
    throw usageError("No model internal matches --record; `serve`'s load lists their names");
  writeSafetensors(path, views, axes);
}

void translate(TranslateRequest& request, const GlobalOptions& global) {
  if (request.record.empty() != request.recordTo.empty())
    throw usageError("--record says what, --record-to where: give both or neither");
  const auto served = openModel(request.model, global);
  TextPipeline& text = textOf(*served);
  const auto lines = readLines(request.input.empty() ? "/dev/stdin" : request.input);
  std::vector<std::string> prefixes;
  if (!request.prefix.empty()) prefixes = readLines(request.prefix);
  TranslateOptions options = optionsOf(request, served->decoding);
  Translator translator(*served->model, text);
  Progress& progress = terminalProgress();
  progress.begin("Translating", static_cast<std::int64_t>(lines.size()), "sentences");
  options.advance = [&](std::int64_t done) { progress.advance(done); };
  const Results results = translator.translate(lines, prefixes, options);
  progress.end();
  if (!request.recordTo.empty()) writeRecorded(request.recordTo, results);
  const std::string out =
      global.json ? jsonOf(translator, results, text.vocabulary(Side::kTarget)).dump() + "\n"
                  : linesOf(request, translator, results);
  if (request.output.empty()) {
    std::fwrite(out.data(), 1, out.size(), stdout);
  } else {
    writeFileAtomic(request.output, out);
  }
}

}  // namespace

void addTranslateCommand(CLI::App& app, const GlobalOptions& global) {
  auto request = std::make_shared<TranslateRequest>();
  CLI::App* verb = app.add_subcommand("translate", "Translate text with a trained model");
  addModelOptions(*verb, request->model);
  verb->add_option("--input", request->input, "File of sentences, one a line (default: stdin)");
  verb->add_option("--output", request->output, "File of translations (default: stdout)");
  verb->add_option("--prefix", request->prefix,
                   "File of the words that each translation begins with");
  verb->add_flag("--scores", request->scores, "Print score and log-probability before each text");
  verb->add_flag("--tokens", request->tokens,
                 "Print tokens as the pipeline has them instead of plain text");
  verb->add_option("--record", request->record, "Internals to record, as NAME or PREFIX*")
      ->delimiter(',');
  verb->add_option("--record-to", request->recordTo, "safetensors file for them");
  addSearchOptions(*verb, request->search);
  verb->footer(
      "Examples:\n"
      "  strata-run translate --run first@best --input test.de --output test.en\n"
      "  echo 'ein Hund' | strata-run translate --run first --beam 8 --nbest 3 --scores\n"
      "  strata-run translate --run first --input test.de --sample --top-k 10 --nbest 5 --seed 3\n"
      "  strata-run translate --run first --input test.de --record 'decoder.fusion.*' --record-to "
      "hops.safetensors");
  verb->callback([request, &global] { translate(*request, global); });
}

}  // namespace strata
