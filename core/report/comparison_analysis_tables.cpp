#include <fmt/format.h>

#include "core/report/comparison_tables.h"

namespace strata {
namespace {

constexpr NumberStyle kSignedNats{.digits = 4, .form = NumberForm::kSigned};
constexpr NumberStyle kCorrelation{.digits = 3, .missing = kNoValue};

// The verdict by the corrected p-value; empty for the baseline's group.
Cell groupVerdict(const GroupScore& score) {
  if (!score.test) return "";
  const bool told =
      score.direction == Direction::kConfirmed || score.direction == Direction::kOpposite;
  if (!told) return std::string(nameOf(score.direction));
  return score.direction == Direction::kConfirmed ? Cell("better").mark(CellMark::kBetter)
                                                  : Cell("worse").mark(CellMark::kWorse);
}

bool ofBaseline(const Comparison& comparison, const SystemGroup& group) {
  for (const std::size_t s : group.systems) {
    if (s == comparison.baseline) return true;
  }
  return false;
}

std::string groupNote(const Comparison& comparison) {
  std::string note = "Deviation: standard deviation over the runs of a system (n - 1).";
  if (comparison.sentences.size() < 2) return note;
  return note + fmt::format(
                    " Differences between means are tested by a bootstrap over runs and sentences "
                    "({} resamples, seed {}{}); no verdict with fewer than {} runs on either side.",
                    comparison.options.bootstrap.samples, comparison.options.bootstrap.seed,
                    comparison.groups.size() > 2 ? ", verdicts with Holm's correction" : "",
                    kRunsForDirection);
}

std::string likelihoodNote(const Comparison& comparison) {
  std::string note = fmt::format(
      "Nats: mean negative log-probability per {} of the first reference; lower is better. More "
      "likely: share of sentences whose reference has a higher log-probability than under {}. "
      "Correlations are between the difference in log-probability and the difference in sentence "
      "scores ({}).",
      comparison.likelihoodsAWord ? "word (the end of the sentence counts as one)" : "token",
      comparison.systems[comparison.baseline].name, comparison.first().metric->name());
  const auto differs = [&](const SystemLikelihood& each) {
    return each.tokens != comparison.likelihoods.front().tokens;
  };
  for (const SystemLikelihood& each : comparison.likelihoods) {
    if (!differs(each)) continue;
    return note +
           " The systems split the references into different numbers of tokens, so nats per token "
           "and perplexities cannot be compared between them.";
  }
  return note;
}

}  // namespace

Table groupTable(const Comparison& comparison, std::size_t metric) {
  const std::string name = comparison.metrics[metric].metric->name();
  Table table{.caption = name + " of runs",
              .columns = {{"system"},
                          {"runs", Align::kRight},
                          {name, Align::kRight},
                          {"deviation", Align::kRight}}};
  const bool tests = comparison.sentences.size() > 1;
  const bool several = comparison.groups.size() > 2;
  if (tests) {
    for (const char* title : {"difference", "95 % interval", "p"}) table.addColumn(title);
    if (several) table.addColumn("p (Holm)");
    table.columns.push_back({"against the baseline"});
  }
  for (const SystemGroup& group : comparison.groups) {
    const GroupScore& score = group.scores[metric];
    const auto& test = score.test;
    if (ofBaseline(comparison, group)) table.marked.push_back(table.rows.size());
    std::vector<Cell> row{group.name, Cell::count(group.systems.size()), Cell::number(score.mean),
                          Cell::number(score.deviation)};
    if (tests) {
      row.push_back(test ? Cell::number(test->difference, kSignedNumber) : "");
      row.push_back(test ? Cell::range(test->low, test->high) : "");
      row.push_back(test ? Cell::number(test->pValue, kProbability) : "");
      if (several) row.push_back(test ? Cell::number(score.pHolm, kProbability) : "");
      row.push_back(test ? groupVerdict(score) : "baseline");
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

Table likelihoodTable(const Comparison& comparison) {
  const std::string unit = comparison.likelihoodsAWord ? "word" : "token";
  const bool tests = comparison.sentences.size() > 1;
  Table table{.caption = "Likelihood of the references",
              .columns = {{"system"},
                          {unit + "s", Align::kRight},
                          {"nats / " + unit, Align::kRight},
                          {"perplexity", Align::kRight},
                          {"difference", Align::kRight}}};
  if (tests) {
    table.addColumn("95 % interval");
    table.addColumn(comparison.likelihoods.size() > 2 ? "p (Holm)" : "p");
  }
  for (const char* title : {"more likely", "Pearson", "Spearman"}) table.addColumn(title);
  for (const SystemLikelihood& each : comparison.likelihoods) {
    const bool baseline = each.system == comparison.baseline;
    const auto& test = each.nats.test;
    if (baseline) table.marked.push_back(table.rows.size());
    std::vector<Cell> row{
        comparison.systems[each.system].name, Cell::number(each.tokens, {.digits = 0}),
        Cell::number(each.nats.score, {.digits = 4}), Cell::number(each.perplexity, {.digits = 3}),
        baseline ? "" : Cell::number(each.nats.difference, kSignedNats)};
    if (tests) {
      row.push_back(test ? Cell::range(test->low, test->high, 4) : "");
      row.push_back(test ? Cell::number(test->pHolm, kProbability) : "");
    }
    row.push_back(baseline ? "" : Cell::number(each.likelier, kShareNumber));
    row.push_back(baseline ? "" : Cell::number(each.agreement.pearson, kCorrelation));
    row.push_back(baseline ? "" : Cell::number(each.agreement.spearman, kCorrelation));
    table.rows.push_back(std::move(row));
  }
  return table;
}

Table nbestTable(const Comparison& comparison) {
  Table table{
      .caption = "N-best lists",
      .columns = {{"system"}, {"candidates", Align::kRight}, {"first is best", Align::kRight}}};
  for (const MetricComparison& compared : comparison.metrics) {
    table.addColumn(compared.metric->name() + " of the first");
    table.addColumn("of the best");
  }
  for (const NBestLists& lists : comparison.nbest) {
    if (lists.system == comparison.baseline) table.marked.push_back(table.rows.size());
    std::vector<Cell> row{comparison.systems[lists.system].name,
                          Cell::number(lists.candidates, {.digits = 1}),
                          Cell::number(lists.firstIsBest, kShareNumber)};
    for (const NBestLists::Score& score : lists.scores) {
      row.push_back(Cell::number(score.first));
      row.push_back(Cell::number(score.oracle));
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

Table confidenceTable(const Comparison& comparison) {
  Table table{.caption = "Systems' own scores",
              .columns = {{"system"},
                          {"sentences", Align::kRight},
                          {"Pearson", Align::kRight},
                          {"Spearman", Align::kRight},
                          {"Pearson, per word", Align::kRight},
                          {"Spearman, per word", Align::kRight}}};
  for (const SystemConfidence& each : comparison.confidence) {
    if (each.system == comparison.baseline) table.marked.push_back(table.rows.size());
    table.rows.push_back({comparison.systems[each.system].name, Cell::count(each.sentences),
                          Cell::number(each.asIs.pearson, kCorrelation),
                          Cell::number(each.asIs.spearman, kCorrelation),
                          Cell::number(each.perWord.pearson, kCorrelation),
                          Cell::number(each.perWord.spearman, kCorrelation)});
  }
  return table;
}

std::vector<NotedTable> analysisTables(const Comparison& comparison) {
  const std::string metric = comparison.first().metric->name();
  std::vector<NotedTable> all;
  if (!comparison.groups.empty()) {
    NotedTable& noted = all.emplace_back("Runs", groupNote(comparison), std::vector<Table>{});
    for (std::size_t m = 0; m < comparison.metrics.size(); ++m)
      noted.tables.push_back(groupTable(comparison, m));
  }
  if (!comparison.likelihoods.empty()) {
    all.push_back({"Likelihood of the references",
                   likelihoodNote(comparison),
                   {likelihoodTable(comparison)}});
  }
  if (!comparison.nbest.empty()) {
    all.push_back({"N-best lists",
                   fmt::format("Of the best: the oracle corpus score, choosing from each list the "
                               "candidate with the best sentence score (on ties the first). First "
                               "is best: how often that is the first candidate, by {}.",
                               metric),
                   {nbestTable(comparison)}});
  }
  if (!comparison.confidence.empty()) {
    all.push_back(
        {"Systems' own scores",
         fmt::format("Correlation of a system's score of its own translation, unchanged and "
                     "divided by the translation's number of words, with the sentence's {}{}.",
                     metric,
                     comparison.first().metric->higherIsBetter() ? "" : " (lower is better)"),
         {confidenceTable(comparison)}});
  }
  return all;
}

}  // namespace strata
