#include "app/commands/evaluate_parts.h"

#include "core/base/error.h"
#include "core/metrics/buckets.h"
#include "core/report/comparison_export.h"
#include "core/report/comparison_tables.h"
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

BucketScores lengthBuckets(const PartOptions& options, const Metric& metric,
                           const std::vector<MetricRows>& rows,
                           const std::vector<std::string>& names,
                           const std::vector<std::string>& reference) {
  auto buckets = bucketsByEdges(sentenceLengths(reference), options.lengthEdges);
  buckets.front().low = 0;  // so that its label looks like the others
  const std::string by = "Words of the reference";
  Table table{.caption = by + ": " + metric.name(),
              .columns = {{"bucket"}, {"sentences", Align::kRight}, {"share", Align::kRight}}};
  std::vector<std::vector<BucketScore>> scores;
  for (std::size_t s = 0; s < names.size(); ++s) {
    table.addColumn(names[s]);
    scores.push_back(scoreBuckets(metric, rows[s], buckets, BootstrapOptions{}));
  }
  Json json = Json::array();
  for (std::size_t b = 0; b < buckets.size(); ++b) {
    const BucketScore& first = scores.front()[b];
    std::vector<Cell> cells{buckets[b].label(), Cell::count(first.count),
                            Cell::number(first.share, kShareNumber)};
    Json systems = Json::array();
    for (std::size_t s = 0; s < names.size(); ++s) {
      cells.push_back(scoreCell(metric, scores[s][b]));
      systems.push_back(bucketScoreJson(names[s], scores[s][b]));
    }
    table.rows.push_back(std::move(cells));
    json.push_back({{"bucket", buckets[b].label()}, {"systems", std::move(systems)}});
  }
  return {.json = {{"by", by}, {"metric", metric.name()}, {"buckets", std::move(json)}},
          .table = std::move(table)};
}

}  // namespace strata
