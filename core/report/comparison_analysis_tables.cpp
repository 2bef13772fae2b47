#include <fmt/format.h>

#include "core/report/comparison_tables.h"

namespace strata {
namespace {

std::string percent(double share) {
  return fmt::format("{:.1f} %", 100 * share);
}

std::string correlationText(const std::optional<double>& value) {
  return value ? fmt::format("{:.3f}", *value) : "\u2013";
}

// The verdict by the corrected p-value; empty for the baseline's group.
std::string verdictOf(const GroupScore& score) {
  if (!score.test) return "";
  const bool told =
      score.direction == Direction::kConfirmed || score.direction == Direction::kOpposite;
  if (!told) return std::string(nameOf(score.direction));
  return score.direction == Direction::kConfirmed ? "better \u25b2" : "worse \u25bc";
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
                          {"deviation", Align::kRight}},
              .rows = {},
              .marked = {}};
  const bool tests = comparison.sentences.size() > 1;
  const bool several = comparison.groups.size() > 2;
  if (tests) {
    for (const char* title : {"difference", "95 % interval", "p"})
      table.columns.push_back({title, Align::kRight});
    if (several) table.columns.push_back({"p (Holm)", Align::kRight});
    table.columns.push_back({"against the baseline"});
  }
  for (const SystemGroup& group : comparison.groups) {
    const GroupScore& score = group.scores[metric];
    const auto& test = score.test;
    if (ofBaseline(comparison, group)) table.marked.push_back(table.rows.size());
    std::vector<std::string> row{group.name, fmt::to_string(group.systems.size()),
                                 fmt::format("{:.2f}", score.mean),
                                 score.deviation ? fmt::format("{:.2f}", *score.deviation) : ""};
    if (tests) {
      row.push_back(test ? fmt::format("{:+.2f}", test->difference) : "");
      row.push_back(test ? rangeText(test->low, test->high) : "");
      row.push_back(test ? fmt::format("{:.4f}", test->pValue) : "");
      if (several) row.push_back(test ? fmt::format("{:.4f}", score.pHolm) : "");
      row.push_back(test ? verdictOf(score) : "baseline");
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
                          {"difference", Align::kRight}},
              .rows = {},
              .marked = {}};
  if (tests) {
    table.columns.push_back({"95 % interval", Align::kRight});
    table.columns.push_back({comparison.likelihoods.size() > 2 ? "p (Holm)" : "p", Align::kRight});
  }
  for (const char* title : {"more likely", "Pearson", "Spearman"})
    table.columns.push_back({title, Align::kRight});
  for (const SystemLikelihood& each : comparison.likelihoods) {
    const bool baseline = each.system == comparison.baseline;
    const auto& test = each.nats.test;
    if (baseline) table.marked.push_back(table.rows.size());
    std::vector<std::string> row{
        comparison.systems[each.system].name, fmt::format("{:.0f}", each.tokens),
        fmt::format("{:.4f}", each.nats.score), fmt::format("{:.3f}", each.perplexity),
        baseline ? "" : fmt::format("{:+.4f}", each.nats.difference)};
    if (tests) {
      row.push_back(test ? fmt::format("{:+.4f} to {:+.4f}", test->low, test->high) : "");
      row.push_back(test ? fmt::format("{:.4f}", test->pHolm) : "");
    }
    row.push_back(baseline ? "" : percent(each.likelier));
    row.push_back(baseline ? "" : correlationText(each.agreement.pearson));
    row.push_back(baseline ? "" : correlationText(each.agreement.spearman));
    table.rows.push_back(std::move(row));
  }
  return table;
}

Table nbestTable(const Comparison& comparison) {
  Table table{
      .caption = "N-best lists",
      .columns = {{"system"}, {"candidates", Align::kRight}, {"first is best", Align::kRight}},
      .rows = {},
      .marked = {}};
  for (const MetricComparison& compared : comparison.metrics) {
    table.columns.push_back({compared.metric->name() + " of the first", Align::kRight});
    table.columns.push_back({"of the best", Align::kRight});
  }
  for (const NBestLists& lists : comparison.nbest) {
    if (lists.system == comparison.baseline) table.marked.push_back(table.rows.size());
    std::vector<std::string> row{comparison.systems[lists.system].name,
                                 fmt::format("{:.1f}", lists.candidates),
                                 percent(lists.firstIsBest)};
    for (const NBestLists::Score& score : lists.scores) {
      row.push_back(fmt::format("{:.2f}", score.first));
      row.push_back(fmt::format("{:.2f}", score.oracle));
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
                          {"Spearman, per word", Align::kRight}},
              .rows = {},
              .marked = {}};
  for (const SystemConfidence& each : comparison.confidence) {
    if (each.system == comparison.baseline) table.marked.push_back(table.rows.size());
    table.rows.push_back({comparison.systems[each.system].name, fmt::to_string(each.sentences),
                          correlationText(each.asIs.pearson), correlationText(each.asIs.spearman),
                          correlationText(each.perWord.pearson),
                          correlationText(each.perWord.spearman)});
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
