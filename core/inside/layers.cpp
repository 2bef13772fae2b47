#include "core/inside/layers.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

namespace strata {
namespace {

constexpr int kLayersFormat = 1;
constexpr std::int64_t kPositionsPerFeature = 10;
constexpr NumberStyle kSimilarity{.digits = 3, .missing = kNoValue};
constexpr NumberStyle kLensNumber{.digits = 3};

double orNaN(const Json& json) {
  return json.is_null() ? std::numeric_limits<double>::quiet_NaN() : json.get<double>();
}

Json finiteOrNull(double value) {
  return std::isfinite(value) ? Json(value) : Json();
}

std::optional<double> ifFinite(double value) {
  return std::isfinite(value) ? std::optional(value) : std::nullopt;
}

Json toJson(const LevelSimilarity& similarity) {
  return {{"side", similarity.side},
          {"levels", similarity.levels},
          {"widths", similarity.widths},
          {"positions", similarity.positions},
          {"cka", jsonList(similarity.cka, finiteOrNull)},
          {"cosine", jsonList(similarity.cosine, finiteOrNull)}};
}

LevelSimilarity similarityFrom(const Json& json) {
  LevelSimilarity similarity{.side = json.at("side"),
                             .levels = json.at("levels"),
                             .widths = json.at("widths"),
                             .positions = json.at("positions")};
  for (const Json& value : json.at("cka")) similarity.cka.push_back(orNaN(value));
  for (const Json& value : json.at("cosine")) similarity.cosine.push_back(orNaN(value));
  const std::size_t levels = similarity.levels.size();
  similarity.cka.resize(levels * levels, std::numeric_limits<double>::quiet_NaN());
  return similarity;
}

Json toJson(const LensMean& mean) {
  return {{"rank", mean.rank},
          {"first", mean.first},
          {"log_probability", mean.logProbability},
          {"divergence", mean.divergence}};
}

LensMean meanFrom(const Json& json) {
  return {.rank = json.at("rank"),
          .first = json.at("first"),
          .logProbability = json.at("log_probability"),
          .divergence = json.at("divergence")};
}

LensSentence sentenceFrom(const Json& json) {
  LensSentence sentence{
      .sentence = json.at("sentence"), .text = json.at("text"), .target = json.at("target")};
  const Json &ranks = json.at("rank"), &scores = json.at("log_probability"),
             &divergences = json.at("divergence"), &tops = json.at("top");
  for (std::size_t level = 0; level < ranks.size(); ++level) {
    auto& cells = sentence.cells.emplace_back();
    for (std::size_t t = 0; t < sentence.target.size(); ++t)
      cells.push_back({.rank = ranks.at(level).at(t),
                       .logProbability = scores.at(level).at(t),
                       .divergence = divergences.at(level).at(t),
                       .top = tops.at(level).at(t)});
  }
  return sentence;
}

Json toJson(const Lens& lens) {
  return {{"levels", lens.levels},
          {"unread", lens.unread},
          {"tokens", lens.tokens},
          {"means", jsonList(lens.means, [](const LensMean& each) { return toJson(each); })},
          {"sentences",
           jsonList(lens.sentences, [](const LensSentence& each) { return toJson(each); })}};
}

Lens lensFrom(const Json& json) {
  Lens lens{.levels = json.at("levels"),
            .unread = json.at("unread"),
            .tokens = json.at("tokens"),
            .means = {},
            .sentences = {}};
  for (const Json& each : json.at("means")) lens.means.push_back(meanFrom(each));
  for (const Json& each : json.at("sentences")) lens.sentences.push_back(sentenceFrom(each));
  return lens;
}

}  // namespace

std::string levelTitle(std::string_view name) {
  const std::string level(name.substr(name.rfind('.') + 1));
  if (level == "0") return "embedding";
  return level == "fused" ? level : "layer " + level;
}

std::string fewPositions(const LevelSimilarity& similarity) {
  if (similarity.widths.empty()) return {};
  const std::int64_t widest = *std::ranges::max_element(similarity.widths);
  if (similarity.positions >= kPositionsPerFeature * widest) return {};
  return fmt::format(
      "{}: {} positions are fewer than {} for each of {} features, so that CKA is too high: "
      "measure more sentences",
      similarity.side, similarity.positions, kPositionsPerFeature, widest);
}

std::string_view nameOf(LensMeasure measure) {
  switch (measure) {
    case LensMeasure::kRank:
      return "rank";
    case LensMeasure::kProbability:
      return "probability";
    case LensMeasure::kDivergence:
      return "divergence";
  }
  return {};
}

double LensMean::of(LensMeasure measure) const {
  if (measure == LensMeasure::kRank) return rank;
  return measure == LensMeasure::kProbability ? std::exp(logProbability) : divergence;
}

double LensCell::of(LensMeasure measure) const {
  if (measure == LensMeasure::kRank) return static_cast<double>(rank);
  return measure == LensMeasure::kProbability ? std::exp(logProbability) : divergence;
}

Json toJson(const LensSentence& sentence) {
  const auto table = [&](const auto& figure) {
    return jsonList(sentence.cells, [&](const std::vector<LensCell>& cells) {
      return jsonList(cells, [&](const LensCell& cell) { return Json(cell.*figure); });
    });
  };
  return {{"sentence", sentence.sentence},
          {"text", sentence.text},
          {"target", sentence.target},
          {"rank", table(&LensCell::rank)},
          {"log_probability", table(&LensCell::logProbability)},
          {"divergence", table(&LensCell::divergence)},
          {"top", table(&LensCell::top)}};
}

Json toJson(const LayersReport& report) {
  Json json{{"format", kLayersFormat},
            {"run", report.run},
            {"similarity",
             jsonList(report.similarity, [](const LevelSimilarity& each) { return toJson(each); })},
            {"lens", toJson(report.lens)}};
  addMembers(json, report.on);
  return json;
}

LayersReport layersReportFrom(const Json& json) {
  LayersReport report;
  report.run = json.at("run");
  report.on = measuredOnFrom(json);
  for (const Json& each : json.at("similarity")) report.similarity.push_back(similarityFrom(each));
  report.lens = lensFrom(json.at("lens"));
  return report;
}

std::filesystem::path layersFile(const std::filesystem::path& runFolder, const MeasuredOn& on) {
  return runFolder / "layers" / (on.fileStem() + ".json");
}

void storeLayers(const std::filesystem::path& runFolder, const LayersReport& report) {
  storeReport(layersFile(runFolder, report.on), toJson(report));
}

std::vector<LayersReport> storedLayers(const std::filesystem::path& runFolder) {
  std::vector<LayersReport> reports;
  readReports(runFolder / "layers", kLayersFormat,
              [&](const Json& json) { reports.push_back(layersReportFrom(json)); });
  return reports;
}

std::string captionOf(const LayersReport& report) {
  return fmt::format("{}, {}, {}: {} sentences, {} tokens of their references", report.run,
                     report.on.checkpoint, report.on.set, report.on.sentences, report.lens.tokens);
}

Table similarityTable(const LevelSimilarity& similarity) {
  Table table{.caption = fmt::format("{}: linear CKA of its levels over {} positions",
                                     similarity.side, similarity.positions)};
  const std::size_t levels = similarity.levels.size();
  for (std::size_t one = 0; one < levels; ++one) {
    table.beginRow(similarity.side, similarity.levels[one]);
    for (std::size_t other = 0; other < levels; ++other)
      table.addNumber(similarity.levels[other],
                      Cell::number(ifFinite(similarity.at(one, other)), kSimilarity));
    const double cosine =
        one + 1 < levels ? similarity.cosine[one] : std::numeric_limits<double>::quiet_NaN();
    table.addNumber("cosine to next", Cell::number(ifFinite(cosine), kSimilarity));
  }
  return table;
}

Table lensTable(const LayersReport& report) {
  const Lens& lens = report.lens;
  Table table{.caption =
                  "lens: the output layer on each level of the decoder, forced on the "
                  "references; means over tokens"};
  for (std::size_t level = 0; level < lens.levels.size(); ++level) {
    const LensMean& mean = lens.means[level];
    table.beginRow("decoder", lens.levels[level]);
    table.addNumber("rank", Cell::number(mean.rank, {.digits = 1}));
    table.addNumber("rank 1", Cell::number(mean.first, kShareNumber));
    table.addNumber("log p", Cell::number(mean.logProbability, kLensNumber));
    table.addNumber("KL", Cell::number(mean.divergence, kLensNumber));
  }
  return table;
}

Table lensTable(const LensSentence& sentence, const std::vector<std::string>& levels) {
  Table table{.caption = sentence.text};
  for (std::size_t t = 0; t < sentence.target.size(); ++t) {
    table.beginRow("reference", sentence.target[t]);
    for (std::size_t level = 0; level < levels.size(); ++level) {
      const LensCell& cell = sentence.cells[level][t];
      table.addNumber(levels[level], Cell::shown(fmt::format("{} {}", cell.top, cell.rank),
                                                 static_cast<double>(cell.rank)));
    }
  }
  return table;
}

}  // namespace strata
