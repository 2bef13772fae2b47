// strata-run runs inside: what the panels of the perspective Inside draw, as numbers.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "app/commands/inside_attention.h"
#include "app/commands/listing.h"
#include "core/base/error.h"
#include "core/base/json.h"
#include "core/inside/history_corpus.h"
#include "core/inside/hop_weights.h"
#include "core/report/table.h"
#include "core/store/imported.h"
#include "core/store/runs.h"

namespace strata {
namespace {

struct InsideOptions {
  std::string run;
  std::int64_t step = -1;  // negative: the newest recorded one
  int sentence = 0;        // from 1; 0: no maps
  bool words = false;
  std::string other;            // a run; empty: the same, if it has another step
  std::int64_t otherStep = -1;  // negative: the newest one
  bool subtracts() const { return !other.empty() || otherStep >= 0; }
};

constexpr NumberStyle kWeight{.digits = 3};
constexpr int kMeanOfLayers = -1;

Json meansOf(const std::vector<MeanValue>& values) {
  Json means = Json::array();
  for (const MeanValue& value : values) means.push_back(finiteOrNull(value.mean()));
  return means;
}

std::string layerName(int layer) {
  return layer < 0 ? "mean of the layers" : fmt::format("layer {}", layer + 1);
}

std::vector<StoredRecording> recordingsOf(Workspace& workspace, const RunSummary& run) {
  auto rows = listRecordingRows(workspace, run.id);
  std::erase_if(rows, [](const StoredRecording& row) { return !row.present; });
  if (rows.empty()) {
    throw Error(
        "the run '{}' has no recordings: a model records its attention, hop weights and states at "
        "each validation if recording.sentences is above 0",
        run.name);
  }
  std::ranges::sort(rows, {}, &StoredRecording::step);
  return rows;
}

const StoredRecording& atStep(const std::vector<StoredRecording>& rows, std::int64_t step) {
  if (step < 0) return rows.back();
  const auto found = std::ranges::find(rows, step, &StoredRecording::step);
  if (found != rows.end()) return *found;
  std::vector<std::int64_t> steps;
  for (const StoredRecording& row : rows) steps.push_back(row.step);
  throw usageError("nothing is recorded at step {}: recorded steps are {}", step,
                   fmt::join(steps, ", "));
}

// [[per hop] per level]; null if there are none.
Json byLevel(const std::vector<float>& values, int hops) {
  if (values.empty()) return nullptr;
  Json levels = Json::array();
  for (std::size_t i = 0; i < values.size(); i += static_cast<std::size_t>(hops))
    levels.push_back(std::vector<double>(values.begin() + static_cast<std::ptrdiff_t>(i),
                                         values.begin() + static_cast<std::ptrdiff_t>(i) + hops));
  return levels;
}

// Adds a step to a side's {"levels": names, "steps": [{"step", "weights": [[per hop] per level],
// "contributions": the same or null, "evenness": [per hop], "similarity": [[per hop] per hop]}]},
// which stays null if the side has no hop weights.
void addHopWeights(const HopMeans& means, std::int64_t step, Json& made) {
  if (means.levels == 0) return;
  made["levels"] = levelNames(means.levels, means.firstLevel);
  made["steps"].push_back({{"step", step},
                           {"weights", byLevel(means.weights, means.hops)},
                           {"contributions", byLevel(means.contributions, means.hops)},
                           {"evenness", means.entropy},
                           {"similarity", byLevel(means.similarity, means.hops)}});
}

Json toJson(const std::vector<WeightSpread>& levels) {
  Json made = Json::array();
  for (const WeightSpread& level : levels)
    made.push_back({level.low, level.lowerQuartile, level.median, level.upperQuartile, level.high});
  return made;
}

Json classesOf(const RecordedStep& step, const std::string& side) {
  HopClassMeans classes;
  addHopClasses(step, side, classes);
  Json made = Json::object();
  for (std::size_t c = 0; c < kWordClasses.size(); ++c) {
    Json& levels = made[std::string(nameOf(kWordClasses[c]))] = Json::array();
    for (std::size_t level = 0; level < static_cast<std::size_t>(classes.levels); ++level) {
      Json& each = levels.emplace_back(Json::array());
      for (const auto& hop : classes.means) each.push_back(finiteOrNull(hop[c][level].mean()));
    }
  }
  return made;
}

// Of the step shown, adds to a side that has hop weights "spread": of the mean of the hops and of
// each hop [[5 %, 25 %, 50 %, 75 %, 95 %] per level], and "classes": by class of the word read
// [[per hop] per level] or null.
void addDistributions(const RecordedStep& step, Json& hops) {
  for (const char* side : {"encoder", "decoder"}) {
    if (hops[side].is_null()) continue;
    const auto count = static_cast<int>(hops[side]["steps"].back()["evenness"].size());
    for (int hop = -1; hop < count; ++hop)
      hops[side]["spread"].push_back(toJson(hopSpread(step.sentences, side, hop)));
    hops[side]["classes"] = classesOf(step, side);
  }
}

Json sharesOf(const std::vector<CorpusSentence>& sentences, ShareMeasure measure) {
  const CorpusShares shares = corpusShares(sentences, measure);
  Json positions = Json::array(), classes = Json::array();
  for (std::size_t layer = 0; layer < shares.layers.size(); ++layer) {
    positions.push_back(meansOf(shares.byPosition[layer]));
    classes.push_back(meansOf(shares.byClass[layer]));
  }
  return {{"layers", shares.layers}, {"by_position", positions}, {"by_class", classes}};
}

Json layerOfHistory(const std::vector<CorpusSentence>& sentences, int layer) {
  const Distances distances = distancesLookedBack(sentences, layer, kLongestDistance);
  const GoldHits gold = goldHits(sentences, layer);
  Json json{{"layer", layerName(layer)},
            {"start", distances.start},
            {"weight", distances.weight},
            {"strongest", distances.strongest},
            {"gold", nullptr}};
  if (gold.words > 0) {
    json["gold"] = {{"words", gold.words},
                    {"hits", gold.share(gold.hits)},
                    {"previous", gold.share(gold.previous)},
                    {"chance", gold.share(gold.chance)}};
  }
  return json;
}

// Null if the decoder does not attend to its history.
Json targetAttentionOf(const RecordedStep& step) {
  const std::vector<CorpusSentence> sentences = corpusSentences(step);
  if (sentences.empty()) return nullptr;
  std::size_t words = 0, layers = 0;
  for (const CorpusSentence& sentence : sentences) {
    words += sentence.words.generated.size();
    layers = std::max(layers, sentence.words.layers.size());
  }
  Json classes = Json::array(), history = Json::array();
  for (const WordClass wordClass : kWordClasses) classes.push_back(nameOf(wordClass));
  for (int layer = kMeanOfLayers; layer < static_cast<int>(layers); ++layer)
    history.push_back(layerOfHistory(sentences, layer));
  return {{"sentences", sentences.size()},
          {"words", words},
          {"classes", classes},
          {"source_share",
           {{"norms", sharesOf(sentences, ShareMeasure::kNorms)},
            {"weights", sharesOf(sentences, ShareMeasure::kWeights)}}},
          {"history", history}};
}

Cell cellOf(const Json& value, const NumberStyle& style = kWeight) {
  return value.is_null() ? Cell(std::string(kNoValue)) : Cell::number(value.get<double>(), style);
}

void printHops(const std::string& side, const Json& hops, std::int64_t step) {
  const Json& steps = hops.at("steps");
  const auto at = std::find_if(steps.begin(), steps.end(),
                               [step](const Json& each) { return each.at("step") == step; });
  if (at == steps.end()) return;
  Table table{.caption = fmt::format("Mean weight of each level, {}, step {}", side, step),
              .columns = {{"level"}}};
  const Json& evenness = at->at("evenness");
  for (std::size_t hop = 0; hop < evenness.size(); ++hop)
    table.addColumn(fmt::format("hop {}", hop + 1));
  const auto add = [&](const std::string& name, const Json& values) {
    auto& row = table.rows.emplace_back();
    row.emplace_back(name);
    for (const Json& value : values) row.push_back(cellOf(value));
  };
  for (std::size_t level = at->at("weights").size(); level-- > 0;)
    add(hops.at("levels")[level].get<std::string>(), at->at("weights")[level]);
  add("evenness (1: uniform)", evenness);
  fmt::print("{}\n", textTable(table));
}

void printShares(const Json& attention) {
  const Json& shares = attention.at("source_share").at("norms");
  Table table{.caption = "Share of the source by class of the word generated (by norms)",
              .columns = {{"class"}}};
  for (const Json& layer : shares.at("layers")) table.addColumn(layerName(layer.get<int>()));
  if (table.columns.size() == 1) return;  // the layers have no norms
  for (std::size_t c = 0; c < attention.at("classes").size(); ++c) {
    auto& row = table.rows.emplace_back();
    row.emplace_back(attention.at("classes")[c].get<std::string>());
    for (const Json& layer : shares.at("by_class")) row.push_back(cellOf(layer.at(c)));
  }
  fmt::print("{}\n", textTable(table));
}

void printHistory(const Json& attention) {
  Table table{
      .caption = fmt::format("Attention to the history over {} words of {} sentences",
                             attention.at("words").dump(), attention.at("sentences").dump()),
      .columns = {{"layer"}}};
  for (const char* title : {"start", "previous word", "2 words back", "further", "hits gold head",
                            "previous is gold", "chance"})
    table.addColumn(title);
  for (const Json& layer : attention.at("history")) {
    const auto weight = layer.at("weight").get<std::vector<double>>();
    double further = 0;
    for (std::size_t back = 3; back < weight.size(); ++back) further += weight[back];
    const Json gold = layer.at("gold").is_null() ? Json::object() : layer.at("gold");
    table.rows.push_back(
        {layer.at("layer").get<std::string>(),
         Cell::number(layer.at("start").get<double>(), kShareNumber),
         Cell::number(weight.at(1), kShareNumber), Cell::number(weight.at(2), kShareNumber),
         Cell::number(further, kShareNumber), cellOf(gold.value("hits", Json()), kShareNumber),
         cellOf(gold.value("previous", Json()), kShareNumber),
         cellOf(gold.value("chance", Json()), kShareNumber)});
  }
  fmt::print("{}\n", textTable(table));
}

RecordedStep readStep(const Workspace& workspace, const RunSummary& run,
                      const StoredRecording& stored) {
  return readRecordedStep(stored.folder, runConfig(run), workspace.datasetsFolder());
}

// The maps of one sentence, and their difference to another step or run.
Json mapsOf(Workspace& workspace, const RunSummary& run, const RecordedStep& step,
            const InsideOptions& options) {
  SentenceMapsOptions maps{.sentence = options.sentence, .words = options.words};
  RecordedStep other;
  if (options.subtracts()) {
    const RunSummary otherRun = options.other.empty() ? run : findRun(workspace, options.other);
    other =
        readStep(workspace, otherRun, atStep(recordingsOf(workspace, otherRun), options.otherStep));
    maps.other = &other;
  }
  return sentenceMaps(step, maps);
}

Json allHopWeights(const std::vector<StoredRecording>& rows, const StoredRecording& shown,
                   const RecordedStep& step, bool everyStep) {
  Json hops{{"encoder", nullptr}, {"decoder", nullptr}};
  for (const StoredRecording& row : rows) {
    const bool isShown = row.step == shown.step;
    if (!isShown && !everyStep) continue;
    const auto sentences = isShown ? step.sentences : readRecordings(row.folder);
    for (const char* side : {"encoder", "decoder"})
      addHopWeights(hopMeans(sentences, side), row.step, hops[side]);
  }
  addDistributions(step, hops);
  return hops;
}

void inside(const GlobalOptions& global, const InsideOptions& options) {
  if (options.sentence == 0 && (options.subtracts() || options.words))
    throw usageError("--words, --other and --other-step concern the maps of a --sentence");
  Workspace workspace = openFresh(global);
  const RunSummary run = findRun(workspace, options.run);
  requireModel(run);
  const auto rows = recordingsOf(workspace, run);
  const StoredRecording& shown = atStep(rows, options.step);
  const RecordedStep step = readStep(workspace, run, shown);
  Json json{{"run", run.name},
            {"step", shown.step},
            {"sentences", step.sentences.size()},
            {"attention", attentionsOf(step)},
            {"hop_weights", allHopWeights(rows, shown, step, global.json)},
            {"target_attention", targetAttentionOf(step)}};
  if (options.sentence > 0) json["sentence"] = mapsOf(workspace, run, step, options);
  if (global.json) return printJson(json);
  if (options.sentence > 0) return printSentenceMaps(json.at("sentence"));
  bool any = false;
  if (const Json& attentions = json.at("attention"); !attentions.is_null()) {
    printAttentions(attentions);
    any = true;
  }
  for (const auto& [side, hops] : json.at("hop_weights").items()) {
    if (hops.is_null()) continue;
    printHops(side, hops, shown.step);
    any = true;
  }
  if (const Json& attention = json.at("target_attention"); !attention.is_null()) {
    printShares(attention);
    printHistory(attention);
    any = true;
  }
  if (!any)
    fmt::print("{} sentences are recorded at step {}, without attention or hop weights\n",
               step.sentences.size(), shown.step);
}

}  // namespace

void addInsideCommand(CLI::App& runs, const GlobalOptions& global) {
  auto options = std::make_shared<InsideOptions>();
  auto* verb = runs.add_subcommand(
      "inside",
      "Print a run's recorded attention, hop weights and target-side attention, as the panels "
      "draw them (--json: all of them, hop weights at every recorded step)");
  verb->add_option("RUN", options->run, "Number or name of the run")->required();
  verb->add_option("--step", options->step, "Recorded step (default: the newest)")
      ->check(CLI::NonNegativeNumber);
  verb->add_option("--sentence", options->sentence,
                   "The attention maps of this recorded sentence, from 1")
      ->check(CLI::PositiveNumber);
  verb->add_flag("--words", options->words, "Merge subwords to words in its maps");
  verb->add_option("--other", options->other,
                   "Run whose maps of this sentence are compared: theirs minus these, by words");
  verb->add_option("--other-step", options->otherStep,
                   "Its recorded step (default: the newest); without --other, of the same run")
      ->check(CLI::NonNegativeNumber);
  verb->callback([&global, options] { inside(global, *options); });
}

}  // namespace strata
