#include "core/data/text_figures.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/string_map.h"
#include "core/text/words.h"

namespace strata {
namespace {

constexpr std::size_t kGrowthPoints = 100;
constexpr std::size_t kLengthBins = 24;
constexpr double kBinned = 0.99;  // of the sentences are not in the open bin
constexpr std::int64_t kSmallestVocabulary = 250;

using Lengths = std::map<std::int64_t, std::int64_t>;

// The shortest length that at least this share of the sentences does not exceed.
std::int64_t quantile(const Lengths& lengths, std::int64_t sentences, double share) {
  std::int64_t reached = 0;
  for (const auto& [length, count] : lengths) {
    reached += count;
    if (static_cast<double>(reached) >= share * static_cast<double>(sentences)) return length;
  }
  return 0;
}

std::int64_t sentencesOf(const Lengths& lengths) {
  std::int64_t sentences = 0;
  for (const auto& [length, count] : lengths) sentences += count;
  return sentences;
}

Json pairJson(const TextPair& pair) {
  return {{"pair", pair.number}, {"source", pair.source}, {"target", pair.target}};
}

Json sideJson(const SideFigures& side) {
  return {{"tokens", side.tokens},
          {"types", side.types},
          {"mean", side.mean},
          {"median", side.median},
          {"p95", side.p95},
          {"longest", side.longest},
          {"growth", jsonList(side.growth, [](const GrowthPoint& point) {
             return Json::array({point.tokens, point.types});
           })}};
}

Json coverageJson(const Coverage& coverage) {
  return {{"set", coverage.set},
          {"side", coverage.side == 0 ? "source" : "target"},
          {"tokens", coverage.tokens},
          {"points", jsonList(coverage.points, [](const Coverage::Point& point) {
             return Json::array({point.words, point.share});
           })}};
}

Json sharedJson(const SharedSentence& shared) {
  return {{"set", shared.set},
          {"sentence", shared.sentence},
          {"same_source", shared.source},
          {"same_target", shared.target},
          {"source", shared.setSource},
          {"reference", shared.setReference},
          {"train", pairJson(shared.train)}};
}

}  // namespace

std::string LengthBins::label(std::size_t bin) const {
  const auto first = static_cast<std::int64_t>(bin) * width;
  if (bin + 1 == counts.size()) return fmt::format("{}+", first);
  return width == 1 ? fmt::to_string(first) : fmt::format("{}-{}", first, first + width - 1);
}

std::size_t TextFiguresBuilder::addSet(const std::string& name) {
  sets_.push_back({name, {}});
  return overlap_.addSet(name);
}

void TextFiguresBuilder::addSentence(std::size_t set, const std::string& source,
                                     const std::vector<std::string>& references) {
  overlap_.addSentence(set, source, {references.begin(), references.end()});
  sets_[set].sentences.push_back({source, references});
}

void TextFiguresBuilder::addJoined(const std::string& name, const std::vector<std::string>& sets) {
  const std::size_t joined = addSet(name);
  for (const std::string& part : sets) {
    const auto found = std::ranges::find(sets_, part, &Set::name);
    if (found == sets_.end()) continue;
    const std::vector<Sentence> sentences = found->sentences;
    for (const Sentence& sentence : sentences)
      addSentence(joined, sentence.source, sentence.references);
  }
}

bool TextFiguresBuilder::hasSet(const std::string& name) const {
  return std::ranges::find(sets_, name, &Set::name) != sets_.end();
}

std::int64_t TextFiguresBuilder::addLine(Side& side, std::string_view line) {
  std::int64_t length = 0;
  forEachWord(line, [&](std::string_view word) {
    ++length;
    side.words.add(word);
    const GrowthPoint now{side.words.total(), std::ssize(side.words.entries())};
    if (now.tokens % side.stride != 0) return;
    side.growth.push_back(now);
    if (side.growth.size() <= kGrowthPoints) return;
    side.stride *= 2;
    std::erase_if(side.growth,
                  [&](const GrowthPoint& point) { return point.tokens % side.stride != 0; });
  });
  ++side.lengths[length];
  return length;
}

void TextFiguresBuilder::addPair(const TextPair& pair) {
  ++figures_.pairs;
  const std::int64_t source = addLine(sides_[0], pair.source);
  const std::int64_t target = addLine(sides_[1], pair.target);
  noteRatio(pair, source, target);
  if (overlap_.note(pair.source, pair.target)) noteShared(pair);
}

void TextFiguresBuilder::noteRatio(const TextPair& pair, std::int64_t source, std::int64_t target) {
  if (source == 0 || target == 0) return;
  const double ratio =
      static_cast<double>(std::max(source, target)) / static_cast<double>(std::min(source, target));
  if (ratio <= options_.outlierRatio) return;
  ++figures_.outlierPairs;
  auto& worst = figures_.outliers;
  const auto place = std::ranges::upper_bound(worst, ratio, std::greater<>(), &RatioOutlier::ratio);
  if (worst.size() >= options_.outliers && place == worst.end()) return;
  worst.insert(place, RatioOutlier{pair, ratio});
  if (worst.size() > options_.outliers) worst.pop_back();
}

void TextFiguresBuilder::noteShared(const TextPair& pair) {
  ++figures_.sharedPairs;
  if (figures_.shared.size() >= options_.shared) return;
  for (const OverlapMatch& match : overlap_.matches(pair.source, pair.target)) {
    const Set& set = sets_[match.set];
    const Sentence& sentence = set.sentences[static_cast<std::size_t>(match.sentence)];
    std::string reference = sentence.references.empty() ? "" : sentence.references.front();
    if (match.target) reference = pair.target;  // the one that is the same
    figures_.shared.push_back({set.name, match.sentence + 1, match.source, match.target,
                               sentence.source, std::move(reference), pair});
  }
}

SideFigures TextFiguresBuilder::figuresOf(const Side& side) const {
  SideFigures figures;
  figures.tokens = side.words.total();
  figures.types = std::ssize(side.words.entries());
  figures.growth = side.growth;
  if (figures.growth.empty() || figures.growth.back().tokens != figures.tokens)
    figures.growth.push_back({figures.tokens, figures.types});
  const std::int64_t sentences = sentencesOf(side.lengths);
  if (sentences == 0) return figures;
  figures.mean = static_cast<double>(figures.tokens) / static_cast<double>(sentences);
  figures.median = quantile(side.lengths, sentences, 0.5);
  figures.p95 = quantile(side.lengths, sentences, 0.95);
  figures.longest = side.lengths.rbegin()->first;
  return figures;
}

LengthBins TextFiguresBuilder::bins() const {
  std::int64_t most = 0;
  for (const Side& side : sides_)
    most = std::max(most, quantile(side.lengths, sentencesOf(side.lengths), kBinned));
  LengthBins bins;
  for (const std::int64_t width : {1, 2, 5, 10, 20, 50, 100, 200, 500, 1000}) {
    bins.width = width;
    if (most / width < static_cast<std::int64_t>(kLengthBins)) break;
  }
  const auto last = static_cast<std::size_t>(std::min<std::int64_t>(most / bins.width + 1, 10000));
  bins.counts.resize(last + 1);
  for (std::size_t side = 0; side < 2; ++side) {
    for (const auto& [length, count] : sides_[side].lengths)
      bins.counts[std::min(static_cast<std::size_t>(length / bins.width), last)][side] += count;
  }
  return bins;
}

WordCounter TextFiguresBuilder::setWords(const std::string& name, int side) const {
  WordCounter words;
  const auto found = std::ranges::find(sets_, name, &Set::name);
  if (found == sets_.end()) return words;
  for (const Sentence& sentence : found->sentences) {
    if (side == 0) {
      words.addLine(sentence.source);
    } else {
      for (const std::string& reference : sentence.references) words.addLine(reference);
    }
  }
  return words;
}

Coverage TextFiguresBuilder::coverageOf(const Set& set, int side) const {
  const WordCounter wanted = setWords(set.name, side);
  Coverage coverage{.set = set.name, .side = side, .tokens = wanted.total(), .points = {}};
  StringMap<std::int64_t> counts;
  for (const auto& [word, count] : wanted.entries()) counts.emplace(word, count);
  std::int64_t size = 0, covered = 0, next = kSmallestVocabulary;
  const auto point = [&] {
    const double share = wanted.total() == 0
                             ? 0
                             : static_cast<double>(covered) / static_cast<double>(wanted.total());
    coverage.points.push_back({size, share});
  };
  for (const auto& [word, count] : sides_[static_cast<std::size_t>(side)].words.sorted()) {
    if (const auto found = counts.find(word); found != counts.end()) covered += found->second;
    if (++size != next) continue;
    point();
    next *= 2;
  }
  if (coverage.points.empty() || coverage.points.back().words != size) point();
  return coverage;
}

TextFigures TextFiguresBuilder::finish() {
  for (std::size_t side = 0; side < 2; ++side) figures_.sides[side] = figuresOf(sides_[side]);
  figures_.lengths = bins();
  for (const Set& set : sets_) {
    for (const int side : {0, 1}) figures_.coverage.push_back(coverageOf(set, side));
  }
  figures_.outlierRatio = options_.outlierRatio;
  figures_.overlap = overlap_.counts();
  return std::move(figures_);
}

Json TextFigures::json() const {
  Json bins = Json::array();
  for (std::size_t i = 0; i < lengths.counts.size(); ++i)
    bins.push_back({{"words", lengths.label(i)},
                    {"source", lengths.counts[i][0]},
                    {"target", lengths.counts[i][1]}});
  return {{"pairs", pairs},
          {"source", sideJson(sides[0])},
          {"target", sideJson(sides[1])},
          {"lengths", bins},
          {"coverage", jsonList(coverage, coverageJson)},
          {"outlier_ratio", outlierRatio},
          {"outlier_pairs", outlierPairs},
          {"outliers", jsonList(outliers,
                                [](const RatioOutlier& outlier) {
                                  Json json = pairJson(outlier);
                                  json["ratio"] = outlier.ratio;
                                  return json;
                                })},
          {"overlap", jsonList(overlap,
                               [](const OverlapCounts& counts) {
                                 return Json{{"set", counts.set},
                                             {"sentences", counts.sentences},
                                             {"source", counts.source},
                                             {"target", counts.target},
                                             {"pair", counts.pair}};
                               })},
          {"shared_pairs", sharedPairs},
          {"shared", jsonList(shared, sharedJson)}};
}

}  // namespace strata
