// strata-run layers: how similar the levels of a model's stacks are, and what its output layer
// makes of each level of the decoder.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "app/engine/interventions.h"
#include "app/engine/measured_set.h"
#include "app/engine/verbs.h"
#include "core/base/error.h"
#include "core/base/progress.h"
#include "core/data/lines.h"
#include "core/decode/lens.h"
#include "core/decode/level_products.h"
#include "core/inside/layers.h"

namespace strata {
namespace {

struct LayersRequest {
  ModelOptions model;
  MeasuredSetRequest on;
  std::int64_t sentence = 0;  // from 1; 0: the whole set
  std::string text, reference;

  bool isOneSentence() const { return sentence > 0 || !text.empty(); }
};

using LevelMeans = std::map<std::string, torch::Tensor>;

// A run's model and the set it is measured on.
struct LayersSubject {
  const ServedModel& served;
  const MeasuredSet& measured;
  int batch = 0;
};

// The names of the levels of one side that the model publishes.
std::vector<std::string> levelsPublished(TranslationModel& model, const std::string& side) {
  std::vector<std::string> names;
  for (const RecordingInfo& info : model.recordable()) {
    if (info.kind == "level" && info.side == side) names.push_back(info.name);
  }
  return names;
}

std::vector<std::string> titlesOf(const std::vector<std::string>& names) {
  std::vector<std::string> titles;
  for (const std::string& name : names) titles.push_back(levelTitle(name));
  return titles;
}

LevelMeans levelMeans(const LayersSubject& subject) {
  const auto& [served, measured, batch] = subject;
  const auto names = levelsPublished(*served.model, "decoder");
  if (names.empty())
    throw usageError("The model of run {} does not publish its layers", measured.run.name);
  return meansOfRun(served, {measured.dataset, measured.set, measured.run, names, batch});
}

std::vector<std::string> tokensOf(const ServedModel& served, const std::vector<TokenId>& ids) {
  if (served.text) return served.text->vocabulary(Side::kTarget).wordsOf(ids);
  std::vector<std::string> tokens;
  for (const TokenId id : ids) tokens.push_back(std::to_string(id));
  return tokens;
}

// One sentence as it is stored: only of the levels that the output layer reads.
LensSentence sentenceOf(const ServedModel& served, const std::vector<LensRow>& rows,
                        const std::vector<TokenId>& target) {
  LensSentence sentence{.target = tokensOf(served, target)};
  for (const LensRow& row : rows) {
    if (row.rank.empty()) continue;
    const auto tops = tokensOf(served, row.top);
    auto& cells = sentence.cells.emplace_back();
    for (std::size_t t = 0; t < target.size(); ++t)
      cells.push_back({row.rank[t], row.logProbability[t], row.divergence[t], tops[t]});
  }
  return sentence;
}

// Sums over the tokens of all sentences.
class LensSums {
 public:
  void add(const std::vector<LensRow>& rows) {
    sums_.resize(rows.size());
    for (std::size_t level = 0; level < rows.size(); ++level) {
      LensMean& sum = sums_[level];
      const LensRow& row = rows[level];
      for (std::size_t t = 0; t < row.rank.size(); ++t) {
        sum.rank += static_cast<double>(row.rank[t]);
        sum.first += row.rank[t] == 1 ? 1 : 0;
        sum.logProbability += row.logProbability[t];
        sum.divergence += row.divergence[t];
      }
    }
    read_.resize(rows.size());
    for (std::size_t level = 0; level < rows.size(); ++level)
      read_[level] = !rows[level].rank.empty();
    tokens_ += std::ssize(rows.back().rank);
  }

  // `titles`: one per level.
  Lens lens(const std::vector<std::string>& titles) const {
    Lens lens{.tokens = tokens_};
    const auto count = static_cast<double>(tokens_);
    for (std::size_t level = 0; level < sums_.size(); ++level) {
      if (!read_[level]) {
        lens.unread.push_back(titles[level]);
        continue;
      }
      const LensMean& sum = sums_[level];
      lens.levels.push_back(titles[level]);
      lens.means.push_back({sum.rank / count, sum.first / count, sum.logProbability / count,
                            sum.divergence / count});
    }
    return lens;
  }

 private:
  std::vector<LensMean> sums_;
  std::vector<bool> read_;
  std::int64_t tokens_ = 0;
};

LevelSimilarity similarityOf(const LevelProducts& products, const std::string& side,
                             std::vector<std::string> titles) {
  LevelSimilarity similarity{
      .side = side, .levels = std::move(titles), .positions = products.positions()};
  for (std::size_t one = 0; one < products.levels(); ++one) {
    similarity.widths.push_back(products.width(one));
    for (std::size_t other = 0; other < products.levels(); ++other)
      similarity.cka.push_back(products.similarity(one, other));
    if (one + 1 < products.levels()) similarity.cosine.push_back(products.cosineToNext(one));
  }
  return similarity;
}

// One pass over the set.
LayersReport measureLayers(const LayersSubject& subject, const MeasuredOn& on) {
  const auto& [served, measured, batch] = subject;
  const LevelMeans means = levelMeans(subject);
  Progress& progress = terminalProgress();
  progress.begin("Layers", std::ssize(measured.pairs.sources), "pairs");
  constexpr std::array<const char*, 2> kSides{"encoder", "decoder"};
  std::array<LevelProducts, 2> products;
  LensSums sums;
  std::map<std::size_t, LensSentence> sentences;
  const auto add = [&](const RecordedBatch& recorded) {
    for (std::size_t side = 0; side < kSides.size(); ++side)
      products[side].add(atPositions(recorded, kSides[side]));
    const auto rows = lensOf(*served.model, recorded, means);
    for (std::size_t row = 0; row < rows.size(); ++row) {
      const std::size_t pair = recorded.pairs[row];
      sums.add(rows[row]);
      if (pair < kLensSentences)
        sentences[pair] = sentenceOf(served, rows[row], measured.pairs.targets[pair]);
    }
  };
  recordPairs(
      *served.model, measured.pairs, kLevelNames,
      {.batchSentences = batch, .advance = [&](std::int64_t done) { progress.advance(done); }},
      add);
  LayersReport report{.on = on, .run = measured.run.name};
  for (std::size_t side = 0; side < kSides.size(); ++side)
    report.similarity.push_back(similarityOf(
        products[side], kSides[side], titlesOf(levelsPublished(*served.model, kSides[side]))));
  report.lens = sums.lens(titlesOf(levelsPublished(*served.model, "decoder")));
  const auto lines = readLines(measured.set.rawSource().string());
  for (auto& [pair, sentence] : sentences) {
    sentence.sentence = static_cast<std::int64_t>(pair);
    sentence.text = lines.at(pair);
    report.lens.sentences.push_back(std::move(sentence));
  }
  progress.end();
  return report;
}

std::optional<LayersReport> storedReport(const MeasuredSet& measured, const MeasuredOn& on) {
  auto stored = storedLayers(measured.run.folder);
  const auto found = std::ranges::find(stored, on, &LayersReport::on);
  return found == stored.end() ? std::nullopt : std::optional(std::move(*found));
}

// The pair that is asked for instead of the set.
ScoredPairs pairOf(const LayersRequest& request, const LayersSubject& subject) {
  if (request.sentence == 0) {
    TextPipeline& text = textOf(subject.served);
    return {{withEnd(text.encode(Side::kSource, request.text))},
            {withEnd(text.encode(Side::kTarget, request.reference))}};
  }
  const ScoredPairs& all = subject.measured.pairs;
  if (request.sentence > std::ssize(all.sources))
    throw usageError("--sentence {}: the set {} has only {} sentences", request.sentence,
                     subject.measured.set.name, all.sources.size());
  const auto at = static_cast<std::size_t>(request.sentence - 1);
  return {{all.sources[at]}, {all.targets[at]}};
}

// The lens of one sentence, computed and not stored.
void printSentence(const LayersRequest& request, const LayersSubject& subject, bool json) {
  const ServedModel& served = subject.served;
  const ScoredPairs pair = pairOf(request, subject);
  const LevelMeans means = levelMeans(subject);
  Lens lens;
  recordPairs(*served.model, pair, kLevelNames, {}, [&](const RecordedBatch& recorded) {
    const auto rows = lensOf(*served.model, recorded, means);
    LensSums sums;
    sums.add(rows.front());
    lens = sums.lens(titlesOf(levelsPublished(*served.model, "decoder")));
    lens.sentences.push_back(sentenceOf(served, rows.front(), pair.targets.front()));
  });
  LensSentence& sentence = lens.sentences.front();
  sentence.sentence = request.sentence - 1;
  sentence.text = request.sentence == 0 ? request.text
                                        : readLines(subject.measured.set.rawSource().string())
                                              .at(static_cast<std::size_t>(sentence.sentence));
  if (json) return printJson({{"levels", lens.levels}, {"sentence", toJson(sentence)}});
  fmt::print("{}", textTable(lensTable(sentence, lens.levels)));
}

void print(const LayersReport& report) {
  fmt::print("{}\n\n", captionOf(report));
  for (const LevelSimilarity& similarity : report.similarity) {
    fmt::print("{}\n", textTable(similarityTable(similarity)));
    if (const auto few = fewPositions(similarity); !few.empty()) fmt::print("{}\n\n", few);
  }
  fmt::print("{}", textTable(lensTable(report)));
  for (const std::string& level : report.lens.unread)
    fmt::print("The output layer does not read: {}\n", level);
}

void layers(LayersRequest& request, const GlobalOptions& global) {
  if (request.text.empty() != request.reference.empty())
    throw usageError("give --text together with its --reference");
  if (request.isOneSentence()) request.on.limit = 0;
  const MeasuredSet measured = measuredSet(request.on, global);
  request.model.runs = {request.on.run};
  const auto served = openModel(request.model, global);
  const LayersSubject subject{*served, measured, request.model.batch};
  if (request.isOneSentence()) return printSentence(request, subject, global.json);
  const MeasuredOn on = measuredOn(*served, measured);
  auto report = request.on.again ? std::nullopt : storedReport(measured, on);
  if (!report) {
    report = measureLayers(subject, on);
    storeLayers(measured.run.folder, *report);
  }
  if (global.json) return printJson(toJson(*report));
  print(*report);
}

}  // namespace

void addLayersCommand(CLI::App& app, const GlobalOptions& global) {
  auto request = std::make_shared<LayersRequest>();
  CLI::App* verb = app.add_subcommand(
      "layers", "Compare a model's layers, and read each of them with its output layer");
  addMeasuredSetOptions(*verb, request->on);
  auto* sentence = verb->add_option("--sentence", request->sentence,
                                    "Only the lens, of this sentence of the set, from 1")
                       ->check(CLI::PositiveNumber);
  verb->add_option("--text", request->text, "Only the lens, of this source sentence")
      ->excludes(sentence);
  verb->add_option("--reference", request->reference, "What it is to be translated as");
  addRunningOptions(*verb, request->model);
  verb->footer(
      "Similarity: linear CKA of the layers of each side, 0 to 1, over all positions of the set.\n"
      "Lens: forced on the references, the model's own output layer reads each level of the "
      "decoder;\nrank (from 1) and log-probability of the reference's token, and the divergence KL "
      "of the model's\ndistribution from the level's, in nats. The last level is the model "
      "itself.\n\n"
      "Example:\n"
      "  strata-run layers first@best --limit 500\n"
      "  strata-run layers first@best --sentence 3");
  verb->callback([request, &global] { layers(*request, global); });
}

}  // namespace strata
