#include <fmt/format.h>

#include <algorithm>

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
  return std::ranges::find(group.systems, comparison.baseline) != group.systems.end();
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
  if (std::ranges::any_of(comparison.likelihoods, differs))
    note +=
        " The systems split the references into different numbers of tokens, so nats per token "
        "and perplexities cannot be compared between them.";
  return note;
}

}  // namespace

Table groupTable(const Comparison& comparison, std::size_t metric) {
  const Metric& of = *comparison.metrics[metric].metric;
  const std::string name = of.name();
  const int digits = scoreDigits(of);
  Table table{.caption = name + " of runs"};
  for (const SystemGroup& group : comparison.groups) {
    const GroupScore& score = group.scores[metric];
    const auto& test = score.test;
    if (ofBaseline(comparison, group)) table.marked.push_back(table.rows.size());
    table.beginRow("system", group.name);
    table.addNumber("runs", Cell::count(group.systems.size()));
    table.addNumber(name, scoreCell(of, score.mean));
    table.addNumber("deviation", score.deviation ? scoreCell(of, *score.deviation) : "");
    if (comparison.sentences.size() < 2) continue;
    table.addNumber("difference", test ? scoreCell(of, test->difference, NumberForm::kSigned) : "");
    table.addNumber("95 % interval", test ? Cell::range(test->low, test->high, digits) : "");
    table.addNumber("p", test ? Cell::number(test->pValue, kProbability) : "");
    if (comparison.groups.size() > 2)
      table.addNumber("p (Holm)", test ? Cell::number(score.pHolm, kProbability) : "");
    table.addText("against the baseline", test ? groupVerdict(score) : "baseline");
  }
  return table;
}

Table likelihoodTable(const Comparison& comparison) {
  const std::string unit = comparison.likelihoodsAWord ? "word" : "token";
  Table table{.caption = "Likelihood of the references"};
  for (const SystemLikelihood& each : comparison.likelihoods) {
    const bool baseline = each.system == comparison.baseline;
    const auto& test = each.nats.test;
    const auto against = [&](const Cell& cell) { return baseline ? Cell() : cell; };
    if (baseline) table.marked.push_back(table.rows.size());
    table.beginRow("system", comparison.systems[each.system].name);
    table.addNumber(unit + "s", Cell::number(each.tokens, {.digits = 0}));
    table.addNumber("nats / " + unit, Cell::number(each.nats.score, {.digits = 4}));
    table.addNumber("perplexity", Cell::number(each.perplexity, {.digits = 3}));
    table.addNumber("difference", against(Cell::number(each.nats.difference, kSignedNats)));
    if (comparison.sentences.size() > 1) {
      table.addNumber("95 % interval", test ? Cell::range(test->low, test->high, 4) : "");
      table.addNumber(comparison.likelihoods.size() > 2 ? "p (Holm)" : "p",
                      test ? Cell::number(test->pHolm, kProbability) : "");
    }
    table.addNumber("more likely", against(Cell::number(each.likelier, kShareNumber)));
    table.addNumber("Pearson", against(Cell::number(each.agreement.pearson, kCorrelation)));
    table.addNumber("Spearman", against(Cell::number(each.agreement.spearman, kCorrelation)));
  }
  return table;
}

Table nbestTable(const Comparison& comparison) {
  Table table{.caption = "N-best lists"};
  for (const NBestLists& lists : comparison.nbest) {
    if (lists.system == comparison.baseline) table.marked.push_back(table.rows.size());
    table.beginRow("system", comparison.systems[lists.system].name);
    table.addNumber("candidates", Cell::number(lists.candidates, {.digits = 1}));
    table.addNumber("first is best", Cell::number(lists.firstIsBest, kShareNumber));
    for (std::size_t m = 0; m < lists.scores.size(); ++m) {
      const Metric& metric = *comparison.metrics[m].metric;
      if (importedMetric(metric) != nullptr) continue;  // of the best translations only
      table.addNumber(metric.name() + " of the first", scoreCell(metric, lists.scores[m].first));
      table.addNumber("of the best", scoreCell(metric, lists.scores[m].oracle));
    }
  }
  return table;
}

Table confidenceTable(const Comparison& comparison) {
  Table table{.caption = "Systems' own scores"};
  for (const SystemConfidence& each : comparison.confidence) {
    if (each.system == comparison.baseline) table.marked.push_back(table.rows.size());
    table.beginRow("system", comparison.systems[each.system].name);
    table.addNumber("sentences", Cell::count(each.sentences));
    table.addNumber("Pearson", Cell::number(each.asIs.pearson, kCorrelation));
    table.addNumber("Spearman", Cell::number(each.asIs.spearman, kCorrelation));
    table.addNumber("Pearson, per word", Cell::number(each.perWord.pearson, kCorrelation));
    table.addNumber("Spearman, per word", Cell::number(each.perWord.spearman, kCorrelation));
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
