// strata-run translate: translates text with a trained model.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <spdlog/spdlog.h>

#include <cstdio>
#include <map>
#include <memory>
#include <optional>

#include "app/commands/sentence_options.h"
#include "app/commands/standard_output.h"
#include "app/engine/interventions.h"
#include "app/engine/model_options.h"
#include "app/engine/search_options.h"
#include "app/engine/translated_lines.h"
#include "app/engine/verbs.h"
#include "app/run_dataset.h"
#include "core/base/digest.h"
#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/named_output.h"
#include "core/base/safetensors.h"
#include "core/decode/shortlist.h"
#include "core/nn/packed_weights.h"
#include "core/systems/set_output.h"
#include "core/text/words.h"
#include "core/train/memory.h"

namespace strata {
namespace {

struct TranslateRequest {
  ModelOptions model;
  SentenceOptions reading;
  SearchFlags search;
  std::string input, output, prefix, prefixText, prefixTokens, recordTo;
  std::string set;                 // evaluation set of the run's dataset, instead of input
  std::vector<std::string> texts;  // sentences, instead of input
  std::vector<std::string> record;
  bool scores = false, tokens = false;
  bool posunk = false;
  std::vector<int> shortlist;  // --shortlist's numbers
  std::string dictionary;      // of both; empty: the dataset's
  AlignmentOptions alignment;
  InterventionFlags replaced;
};

// The dictionary of --dictionary, or of the first run's dataset.
std::vector<LexiconEntry> dictionaryOf(const TranslateRequest& request, const GlobalOptions& global,
                                       const TextPipeline& text, LexiconKind kind) {
  if (!request.dictionary.empty()) {
    // Without a translation --posunk copies the source word; a shortlist would lack it.
    const bool copies = kind == LexiconKind::kLinked;
    return readDictionary(request.dictionary, text, copies ? IfEmpty::kWarn : IfEmpty::kRefuse);
  }
  if (request.model.runs.empty())
    throw usageError(
        "--posunk and --shortlist with a model's folder need a dictionary: --dictionary FILE");
  Workspace workspace(global.workspace, {.access = Access::kRead, .networkFileSystem = {}});
  return lexiconOf(datasetOfRun(workspace, request.model.runs.front()), kind);
}

// An evaluation set of the run's dataset; its translation is stored with the run.
struct KeptSet {
  Workspace workspace;
  RunSummary run;
  Dataset dataset;
  const EvaluationSet& set;

  KeptSet(const TranslateRequest& request, const GlobalOptions& global)
      : workspace(global.workspace),
        run(runOf(request, workspace)),
        dataset(datasetOfRun(workspace, run)),
        set(dataset.set(request.set)) {}

  static RunSummary runOf(const TranslateRequest& request, Workspace& workspace) {
    if (request.model.runs.size() != 1 || !request.model.folders.empty())
      throw usageError("--set stores the translation with its run: select one with --run");
    if (request.search.sample || request.search.nbest > 1 || !request.replaced.texts.empty())
      throw usageError(
          "--set stores the search's result: it cannot be used with --sample, --nbest or "
          "--intervene");
    const std::string& selector = request.model.runs.front();
    return findRun(workspace, selector.substr(0, selector.rfind('@')));
  }
};

// One line per sentence; with --nbest one per hypothesis, after sentence and rank; with --scores,
// score and log-probability precede the text.
std::string linesOf(const TranslatedLines& found, const TranslateRequest& request) {
  std::string out;
  for (std::size_t sentence = 0; sentence < found.results.size(); ++sentence) {
    for (std::size_t rank = 0; rank < found.results[sentence].size(); ++rank) {
      const Hypothesis& hypothesis = found.results[sentence][rank];
      if (request.search.nbest > 0) out += fmt::format("{}\t{}\t", sentence + 1, rank + 1);
      if (request.scores)
        out += fmt::format("{:.6f}\t{:.6f}\t", hypothesis.score, hypothesis.logProbability);
      const std::string tokens = found.tokens(sentence, hypothesis);
      out += (request.tokens ? tokens : found.text->text(Side::kTarget, tokens)) + "\n";
    }
  }
  return out;
}

Json jsonOf(TranslatedLines& found) {
  Json sentences = Json::array();
  for (std::size_t sentence = 0; sentence < found.results.size(); ++sentence) {
    Json list = Json::array();
    for (Hypothesis& each : found.results[sentence]) {
      addWords(each, *found.text, found.tokens(sentence, each));
      if (found.unknownWords)
        each.replaced = found.unknownWords->units(each, found.lines[sentence]);
      list.push_back(toJson(each, /*withRecordings=*/false));  // they are large
    }
    sentences.push_back({{"hypotheses", std::move(list)}});
  }
  for (const LongLine& each : found.tooLong) sentences[each.line]["warning"] = each.what;
  return {{"translations", std::move(sentences)}};
}

// Tensors named SENTENCE.RANK.NAME, both from 1; the axes of each name are in the file's metadata.
void writeRecorded(const TranslateRequest& request,
                   const std::vector<std::vector<Hypothesis>>& results) {
  const Recorder asked(request.record);  // the search may have recorded more names names
  std::map<std::string, TensorView> views;
  std::map<std::string, std::string> axes;
  for (std::size_t sentence = 0; sentence < results.size(); ++sentence) {
    for (std::size_t rank = 0; rank < results[sentence].size(); ++rank) {
      for (const Recording& recording : results[sentence][rank].recordings) {
        if (!asked.wants(recording.info.name)) continue;
        const auto* bytes = reinterpret_cast<const char*>(recording.values.data());
        views[fmt::format("{}.{}.{}", sentence + 1, rank + 1, recording.info.name)] = {
            DType::kFloat32, recording.shape, {bytes, recording.values.size() * sizeof(float)}};
        axes["axes." + recording.info.name] =
            fmt::format("{}", fmt::join(recording.info.axes, ","));
      }
    }
  }
  if (views.empty())
    throw usageError("No model internal matches --record; `serve`'s load lists their names");
  writeNamedOutput(request.recordTo, packSafetensors(views, axes));
}

// How the search computed: as asked for if this processor and model can.
Compute computeOf(const ServedModel& served, Compute asked) {
  const PackedWeights* packed = served.model->searchArithmetic(asked).packed;
  return packed != nullptr ? packed->compute() : Compute::kFloat32;
}

// Search options that are not part of the usual name of a decoding.
Json furtherSettings(const TranslateRequest& request, const ServedModel& served,
                     const TranslatedLines& found) {
  const SearchRequest& search = request.search.request;
  Json further = Json::object();
  if (!request.search.maxLength.empty()) further["max_length"] = request.search.maxLength;
  if (search.minimumLength > 1) further["min_length"] = search.minimumLength;
  if (search.noRepeat > 0) further["no_repeat"] = search.noRepeat;
  if (search.unknownPenalty > 0) further["unk_penalty"] = search.unknownPenalty;
  if (search.diversity > 0) further["diversity"] = search.diversity;
  if (!found.tooLong.empty()) further["too_long"] = request.search.tooLong;
  const Compute compute = computeOf(served, computeNamed(request.search.compute));
  if (compute != Compute::kFloat32) further["compute"] = nameOf(compute);
  // The words of a shortlist depend on the batch.
  if (!request.shortlist.empty()) {
    const ShortlistOptions shortlist = shortlistOptionsOf(request.shortlist);
    further["shortlist"] = {{"translations", shortlist.translations},
                            {"frequent", shortlist.frequent},
                            {"batch", request.model.batch}};
  }
  if (!request.dictionary.empty()) further["dictionary"] = digestOfFile(request.dictionary);
  if (!request.alignment.attention.empty()) further["attention"] = request.alignment.attention;
  if (request.alignment.head >= 0) further["head"] = request.alignment.head;
  return further;
}

void keep(KeptSet& kept, const ServedModel& served, const TranslateRequest& request,
          const BeamOptions& search, const TranslatedLines& found) {
  const Json further = furtherSettings(request, served, found);
  const std::string rule = search.lengthRule.text();
  // A moving average is a subfolder of its checkpoint, which has the manifest.
  const bool averaged = !fs::exists(served.folder / "manifest.json");
  const fs::path checkpoint = averaged ? served.folder.parent_path() : served.folder;
  StoredOutput output{.key = {.set = kept.set.name,
                              .checkpoint = stepName(served.step.value()),
                              .decode = decodeName(search.beam, rule, request.posunk),
                              .digests = outputDigests({checkpoint}, kept.dataset)},
                      .seconds = found.seconds};
  if (averaged) output.key.checkpoint += "-ema";
  if (!further.empty()) output.key.decode += "." + digestOf(further.dump()).substr(0, 6);
  output.settings = {{"beam", search.beam}, {"length_penalty", rule}, {"further", further}};
  output.tokens = found.bestTokens();
  for (const std::string& tokens : output.tokens)
    output.text.push_back(found.text->text(Side::kTarget, tokens));
  const std::string name =
      fmt::format("{}.{}.{}", output.key.set, output.key.checkpoint, output.key.decode);
  const Json score = keepOutput(kept.workspace, kept.run, kept.dataset, std::move(output));
  spdlog::info("{} of run {} is kept as {}: BLEU {:.2f} ({})", kept.set.name, kept.run.name, name,
               score["score"].get<double>(), score["signature"].get<std::string>());
}

// What names a position behind the end of a translation has changed nothing in it.
void warnOfUnreached(const TranslateRequest& request, const TranslatedLines& found) {
  const auto last = request.replaced.interventions.lastTarget();
  for (std::size_t sentence = 0; last && sentence < found.results.size(); ++sentence) {
    const auto tokens = std::ssize(found.results[sentence].front().tokens);
    if (tokens <= *last)
      spdlog::warn("sentence {} has {} tokens, </s> included: nothing is replaced at target {}",
                   sentence + 1, tokens, *last);
  }
}

// The source sentences of --input. Of a file of several languages the model's own is meant.
std::vector<std::string> inputOf(const TranslateRequest& request, const ServedModel& served) {
  SentenceOptions reading = request.reading;
  if (reading.sourceLanguage.empty())
    reading.sourceLanguage = textOf(served).side(Side::kSource).language;
  const std::string file = request.input.empty() ? "/dev/stdin" : request.input;
  return readSentences(reading.input(file, TextRole::kSource)).lines;
}

// Sets up --posunk and --shortlist; the shortlist is null if there is none.
std::unique_ptr<Shortlist> useDictionaries(const TranslateRequest& request,
                                           const GlobalOptions& global, const ServedModel& served,
                                           LinesToTranslate& asked) {
  if (!request.posunk && request.shortlist.empty()) {
    if (request.dictionary.empty()) return nullptr;
    throw usageError("--dictionary is for --posunk or --shortlist: give one of them, too");
  }
  if (request.posunk) {
    asked.lexicon = Lexicon(dictionaryOf(request, global, textOf(served), LexiconKind::kLinked));
    asked.alignment = request.alignment;
  }
  if (request.shortlist.empty()) return nullptr;
  TextPipeline& text = textOf(served);
  auto shortlist =
      std::make_unique<Shortlist>(text, dictionaryOf(request, global, text, LexiconKind::kLikely),
                                  shortlistOptionsOf(request.shortlist));
  asked.options.search.shortlist = shortlist.get();
  return shortlist;
}

void translate(TranslateRequest& request, const GlobalOptions& global) {
  if (request.record.empty() != request.recordTo.empty())
    throw usageError("--record and --record-to must be given together");
  keepFreedMemory();
  std::optional<KeptSet> kept;
  if (!request.set.empty()) kept.emplace(request, global);
  const auto served = openModel(request.model, global);
  textOf(*served);  // without one, say so before anything is read
  LinesToTranslate asked{.lines = request.texts};
  if (kept)
    asked.lines = readLines(kept->set.rawSource().string());
  else if (asked.lines.empty())
    asked.lines = inputOf(request, *served);
  asked.options.search = beamOptionsOf(request.search.asked(), served->decoding);
  asked.options.batchSentences = request.model.batch;
  if (!request.prefix.empty()) asked.prefixes = readLines(request.prefix);
  if (!request.prefixText.empty()) asked.prefixes.assign(asked.lines.size(), request.prefixText);
  asked.options.begin = wordsOf(request.prefixTokens);
  asked.options.search.record = request.record;
  request.replaced.prepare(*served, request.model, global);
  asked.options.search.interventions = request.replaced.given();
  const std::unique_ptr<Shortlist> shortlist = useDictionaries(request, global, *served, asked);
  const BeamOptions search = asked.options.search;
  TranslatedLines found = translateLines(*served, std::move(asked));
  warnOfUnreached(request, found);
  if (!request.recordTo.empty()) writeRecorded(request, found.results);
  if (kept) {
    keep(*kept, *served, request, search, found);
    if (request.output.empty() && !global.json) return;  // the log shows its name
  }
  const std::string out = global.json ? jsonOf(found).dump() + "\n" : linesOf(found, request);
  if (request.output.empty()) {
    printOut(out);
  } else {
    writeNamedOutput(request.output, out);
  }
}

void addDictionaryOptions(CLI::App& verb, TranslateRequest& request) {
  addShortlistOption(verb, request.shortlist);
  auto* posunk = verb.add_flag("--posunk", request.posunk,
                               "Replace each <unk> by a translation of the source word with the "
                               "highest attention weight");
  verb.add_option("--dictionary", request.dictionary,
                  "Of --posunk and --shortlist: source<TAB>target[<TAB>p] per line (default: the "
                  "result of `data lexicon`)")
      ->check(CLI::ExistingFile);
  verb.add_option("--posunk-attention", request.alignment.attention,
                  "Attention used to find that word, NAME or PREFIX* (default: the last "
                  "layer's attention to the source)")
      ->needs(posunk);
  verb.add_option("--posunk-head", request.alignment.head, "Attention head, from 0 (default: all)")
      ->check(CLI::NonNegativeNumber)
      ->needs(posunk);
}

}  // namespace

void addTranslateCommand(CLI::App& app, const GlobalOptions& global) {
  auto request = std::make_shared<TranslateRequest>();
  CLI::App* verb = app.add_subcommand("translate", "Translate text with a trained model");
  addModelOptions(*verb, request->model);
  auto* input = verb->add_option("--input", request->input, "File of sentences (default: stdin)");
  addSentenceOptions(*verb, request->reading, {.target = false});
  verb->add_option("--output", request->output, "File of translations (default: stdout)");
  auto* texts =
      verb->add_option("--text", request->texts, "A sentence, instead of input; may be repeated")
          ->allow_extra_args(false)
          ->excludes(input);
  auto* prefix = verb->add_option("--prefix", request->prefix,
                                  "File of target prefixes that the translations must begin with");
  auto* prefixText = verb->add_option("--prefix-text", request->prefixText,
                                      "Text that every translation must begin with")
                         ->excludes(prefix);
  auto* tokens = verb->add_option("--prefix-tokens", request->prefixTokens,
                                  "Tokens of the model, separated by spaces, that every "
                                  "translation must begin with")
                     ->excludes(prefix)
                     ->excludes(prefixText);
  verb->add_option(
          "--set", request->set,
          "Evaluation set of the run's dataset: its translation is stored with the run, for "
          "`systems list` and `compare --set`")
      ->excludes(input)
      ->excludes(texts)
      ->excludes(prefix)
      ->excludes(prefixText)
      ->excludes(tokens);
  verb->add_flag("--scores", request->scores, "Print score and log-probability before each text");
  verb->add_flag("--tokens", request->tokens, "Print the pipeline's tokens instead of plain text");
  verb->add_option("--record", request->record, "Internals to record, as NAME or PREFIX*")
      ->delimiter(',');
  verb->add_option("--record-to", request->recordTo, "safetensors file to write them to");
  addSearchOptions(*verb, request->search);
  addDictionaryOptions(*verb, *request);
  addInterventionOption(*verb, request->replaced);
  verb->footer(
      "Examples:\n"
      "  strata-run translate --run first@best --input test.de --output test.en\n"
      "  strata-run translate --run first@best --set test\n"
      "  strata-run translate --run first --text 'ein Hund' --text 'eine Katze'\n"
      "  strata-run translate --run first --input test.de --shortlist 50 --compute int8\n"
      "  strata-run translate --run dense --input long.de --too-long cut\n"
      "  echo 'ein Hund' | strata-run translate --run first --beam 8 --nbest 3 --scores\n"
      "  strata-run translate --run first --input test.de --sample --top-k 10 --nbest 5 --seed 3\n"
      "  strata-run translate --run a --run b --run c --ensemble linear --input test.de --posunk\n"
      "  strata-run translate --run first --text 'ein Hund' --intervene "
      "'decoder.layers.5.encoder_attn[target=1]=read:2'\n"
      "  strata-run translate --run first --input test.de --record 'decoder.fusion.*' --record-to "
      "hops.safetensors");
  verb->callback([request, &global] { translate(*request, global); });
}

}  // namespace strata
