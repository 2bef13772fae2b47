#include "app/commands/evaluate_parts.h"

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/metrics/buckets.h"
#include "core/report/comparison_export.h"
#include "core/report/table.h"
#include "core/text/vocabulary.h"

namespace strata {

void addPartOptions(CLI::App& verb, PartOptions& options) {
  verb.add_option(
          "--length-edges", options.lengthEdges,
          "Also score buckets by length of the first reference in words, with these lower edges")
      ->delimiter(',')
      ->check(CLI::PositiveNumber);
  verb.add_option("--subset", options.subset,
                  "references-in-vocabulary: only sentences whose references have no word outside "
                  "--vocabulary")
      ->check(CLI::IsMember({"references-in-vocabulary"}));
  verb.add_option("--vocabulary", options.vocabulary, "Target vocabulary");
}

std::optional<std::vector<std::size_t>> subsetOf(
    const PartOptions& options, const std::vector<std::vector<std::string>>& references) {
  if (options.subset.empty()) return {};
  if (options.vocabulary.empty())
    throw usageError("--subset references-in-vocabulary needs --vocabulary FILE");
  const auto unknown = mostUnknownWords(references, Vocabulary::read(options.vocabulary));
  std::vector<std::size_t> kept;
  for (std::size_t i = 0; i < unknown.size(); ++i) {
    if (unknown[i] == 0) kept.push_back(i);
  }
  if (!kept.empty()) return kept;
  throw Error(
      "no sentence is left: every reference has a word outside {}; is the reference tokenised "
      "like the text of this vocabulary?",
      options.vocabulary);
}

void keepOnly(const std::vector<std::size_t>& kept, std::vector<std::string>& lines) {
  for (std::size_t i = 0; i < kept.size(); ++i) {
    if (kept[i] != i) lines[i] = std::move(lines[kept[i]]);
  }
  lines.resize(kept.size());
}

Json lengthBuckets(const PartOptions& options, const Metric& metric,
                   const std::vector<MetricRows>& rows, const std::vector<std::string>& names,
                   const std::vector<std::string>& reference) {
  auto buckets = bucketsByEdges(sentenceLengths(reference), options.lengthEdges);
  buckets.front().low = 0;  // so that its label looks like the others
  Json json = Json::array();
  for (const Bucket& bucket : buckets)
    json.push_back({{"bucket", bucket.label()}, {"systems", Json::array()}});
  for (std::size_t s = 0; s < names.size(); ++s) {
    const auto scores = scoreBuckets(metric, rows[s], buckets, BootstrapOptions{});
    for (std::size_t b = 0; b < buckets.size(); ++b)
      json[b]["systems"].push_back(bucketScoreJson(names[s], scores[b]));
  }
  return {{"by", "Words of the reference"}, {"metric", metric.name()}, {"buckets", json}};
}

void printBuckets(const Json& table) {
  const auto metric = table["metric"].get<std::string>();
  Table text{.caption = table["by"].get<std::string>() + ": " + metric,
             .columns = {{"bucket"}, {"sentences", Align::kRight}, {"share", Align::kRight}}};
  for (const Json& system : table["buckets"][0]["systems"]) text.addColumn(system["name"]);
  for (const Json& bucket : table["buckets"]) {
    const Json& first = bucket["systems"][0];
    std::vector<Cell> cells{bucket["bucket"].get<std::string>(),
                            Cell::count(first["sentences"].get<std::size_t>()),
                            Cell::number(first["share"].get<double>(), kShareNumber)};
    for (const Json& system : bucket["systems"]) {
      if (system["score"].is_null()) {
        cells.emplace_back(std::string(kNoValue));
        continue;
      }
      std::optional<double> halfWidth;
      if (!system["ci"].is_null()) halfWidth = system["ci"].get<double>();
      cells.push_back(Cell::plusMinus(system["score"].get<double>(), halfWidth));
    }
    text.rows.push_back(std::move(cells));
  }
  fmt::print("\n{}", textTable(text));
}

}  // namespace strata
