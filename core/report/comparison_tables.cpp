#include "core/report/comparison_tables.h"

#include <fmt/format.h>

#include <algorithm>

namespace strata {
namespace {

Cell verdictOf(const MetricComparison& compared, const SystemScore& system) {
  if (!system.test) return "";
  if (system.test->low == 0 && system.test->high == 0) return "equal";
  const CellMark mark = significanceMark(compared, system);
  if (mark == CellMark::kNone) return "undecided";
  return Cell(mark == CellMark::kBetter ? "better" : "worse").mark(mark);
}

// Scores of all systems on some sentences, and their tests.
Table systemsTable(const Comparison& comparison, const MetricComparison& compared,
                   const std::vector<SystemScore>& systems) {
  Table table{.marked = {comparison.baseline}};
  const bool tests = std::ranges::any_of(systems, [](const auto& s) { return s.test.has_value(); });
  for (std::size_t s = 0; s < systems.size(); ++s) {
    const SystemScore& system = systems[s];
    const auto& test = system.test;
    const bool baseline = s == comparison.baseline;
    table.beginRow("system", comparison.systems[s].name);
    table.addNumber(compared.metric->name(), Cell::number(system.score));
    if (tests)
      table.addNumber("95 % interval", system.interval ? intervalCell(*system.interval) : "");
    table.addNumber("difference", baseline ? "" : Cell::number(system.difference, kSignedNumber));
    if (!tests) continue;
    table.addNumber("95 % interval", test ? Cell::range(test->low, test->high) : "");
    table.addNumber("p", test ? Cell::number(test->pValue, kProbability) : "");
    if (systems.size() > 2)
      table.addNumber("p (Holm)", test ? Cell::number(test->pHolm, kProbability) : "");
    table.addText("against the baseline", baseline ? "baseline" : verdictOf(compared, system));
  }
  return table;
}

Table ngramDifferenceTable(const std::string& caption,
                           const std::vector<NGramDifference>& differences,
                           const std::pair<std::string, std::string>& systems) {
  Table table{.caption = caption,
              .columns = textThenNumbers({"n-gram", "order", systems.first, systems.second})};
  for (const NGramDifference& each : differences) {
    table.rows.push_back(
        {each.text, Cell::count(each.order), Cell::count(each.first), Cell::count(each.second)});
  }
  return table;
}

Table ngramProductionTable(const std::string& caption,
                           const std::vector<NGramProduction>& productions,
                           const std::string& system) {
  Table table{.caption = caption,
              .columns = textThenNumbers({"n-gram", "order", system, "references", "confirmed"})};
  for (const NGramProduction& each : productions) {
    table.rows.push_back({each.text, Cell::count(each.order), Cell::count(each.hypothesis),
                          Cell::count(each.reference), Cell::count(each.confirmed)});
  }
  return table;
}

}  // namespace

Cell intervalCell(const ConfidenceInterval& interval) {
  return Cell::plusMinus(interval.mean, interval.halfWidth);
}

CellMark significanceMark(const MetricComparison& compared, const SystemScore& system) {
  if (!system.test || !system.test->significant() || system.difference == 0) return CellMark::kNone;
  return compared.improves(system.difference) ? CellMark::kBetter : CellMark::kWorse;
}

Cell scoreCell(const BucketScore& score) {
  if (score.count == 0) return std::string(kNoValue);
  if (!score.interval) return Cell::number(score.score);
  return Cell::plusMinus(score.score, score.interval->halfWidth);
}

Table overviewTable(const Comparison& comparison) {
  Table table{.marked = {comparison.baseline}};
  for (std::size_t s = 0; s < comparison.systems.size(); ++s) {
    table.beginRow("system", comparison.systems[s].name);
    for (const MetricComparison& compared : comparison.metrics) {
      const SystemScore& system = compared.systems[s];
      table.addNumber(compared.metric->name(),
                      Cell::number(system.score).mark(significanceMark(compared, system)));
    }
  }
  return table;
}

Table scoreTable(const Comparison& comparison, std::size_t metric) {
  const MetricComparison& compared = comparison.metrics[metric];
  Table table = systemsTable(comparison, compared, compared.systems);
  table.caption = compared.metric->name() + "  " + compared.signature;
  return table;
}

Table filteredTable(const Comparison& comparison, std::size_t metric,
                    const FilteredScores& filtered) {
  const MetricComparison& compared = comparison.metrics[metric];
  const std::size_t count = filtered.sentences.size();
  Table table = systemsTable(comparison, compared, filtered.systems);
  table.caption = fmt::format("{} of {} of {} sentences ({:.1f} %)", compared.metric->name(), count,
                              comparison.sentences.size(), 100 * filtered.share);
  table.columns.insert(table.columns.begin() + 1, {"all sentences", Align::kRight});
  for (std::size_t s = 0; s < table.rows.size(); ++s) {
    std::vector<Cell>& row = table.rows[s];
    if (count == 0) std::fill(row.begin() + 1, row.end(), Cell(std::string(kNoValue)));
    row.insert(row.begin() + 1, Cell::number(compared.systems[s].score));
  }
  return table;
}

Table statisticsTable(const Comparison& comparison) {
  Table table{.caption = "Words are split at spaces", .marked = {comparison.baseline}};
  for (std::size_t s = 0; s < comparison.systems.size(); ++s) {
    const TextStatistics& of = comparison.statistics[s];
    table.beginRow("system", comparison.systems[s].name);
    table.addNumber("words", Cell::count(of.words));
    table.addNumber("length ratio", Cell::number(of.lengthRatio(), {.digits = 3}));
    table.addNumber("types / words", Cell::number(of.typeTokenRatio(), {.digits = 3}));
    table.addNumber("empty lines", Cell::count(of.emptyLines));
    table.addNumber("repeating lines", Cell::count(of.repeatingLines));
    table.addNumber("repeated words", Cell::number(of.repeatedWordShare(), kShareNumber));
    if (comparison.source.empty()) continue;
    table.addNumber("source lines", Cell::count(of.source ? of.source->equalLines : 0));
    table.addNumber("copied words", Cell::number(of.copiedShare(), kShareNumber));
    table.addNumber("invented words", Cell::number(of.inventedShare(), kShareNumber));
  }
  return table;
}

Table bucketTable(const Comparison& comparison, const BucketTable& buckets) {
  Table table{.caption = buckets.title + ": " + comparison.first().metric->name()};
  for (std::size_t b = 0; b < buckets.labels.size(); ++b) {
    table.beginRow("bucket", Cell::placed(buckets.labels[b], b));
    if (buckets.common) {
      table.addNumber("sentences", Cell::count(buckets.scores.front()[b].count));
      table.addNumber("share", Cell::number(buckets.scores.front()[b].share, kShareNumber));
    }
    for (std::size_t s = 0; s < comparison.systems.size(); ++s) {
      const BucketScore& score = buckets.scores[s][b];
      Cell cell = scoreCell(score);
      if (!buckets.common)
        cell.add(fmt::format(" ({}, {})", score.count, numberText(score.share, kShareNumber)));
      table.addNumber(comparison.systems[s].name, std::move(cell));
    }
  }
  return table;
}

Table wordAccuracyTable(const Comparison& comparison) {
  Table table{.caption =
                  "F1 (precision / recall), per cent, of words by their count in the training "
                  "text"};
  for (std::size_t b = 0; b < comparison.wordAccuracy.front().size(); ++b) {
    const WordAccuracy& any = comparison.wordAccuracy.front()[b];
    table.beginRow("training count", Cell::placed(any.label, b));
    table.addNumber("words of the reference", Cell::count(any.reference));
    for (std::size_t s = 0; s < comparison.systems.size(); ++s) {
      const WordAccuracy& each = comparison.wordAccuracy[s][b];
      Cell cell = std::string(kNoValue);
      if (each.reference != 0 || each.hypothesis != 0) {
        cell = Cell::number(100 * each.f1(), {.digits = 1})
                   .add(fmt::format(" ({:.1f} / {:.1f})", 100 * each.precision(),
                                    100 * each.recall()));
      }
      table.addNumber(comparison.systems[s].name, std::move(cell));
    }
  }
  return table;
}

Table ngramTotalsTable(const Comparison& comparison) {
  Table table{
      .caption = "Confirmed n-grams (found in a reference), by order; of " + comparison.tokens,
      .marked = {comparison.baseline}};
  for (std::size_t s = 0; s < comparison.systems.size(); ++s) {
    table.beginRow("system", comparison.systems[s].name);
    for (const NGramTotals& totals : comparison.ngrams[s].produced.totals) {
      const std::int64_t all = totals.confirmed + totals.unconfirmed;
      table.addNumber(fmt::to_string(totals.order),
                      Cell::count(totals.confirmed).add(fmt::format(" of {}", all)));
    }
  }
  return table;
}

std::vector<Table> ngramListTables(const Comparison& comparison, std::size_t system) {
  const std::string& name = comparison.systems[system].name;
  const std::string& baseline = comparison.systems[comparison.baseline].name;
  const NGramTables& ngrams = comparison.ngrams[system];
  std::vector<Table> tables;
  if (system != comparison.baseline) {
    tables.push_back(
        ngramDifferenceTable(fmt::format("Confirmed in {} rather than in {}", name, baseline),
                             ngrams.against.secondConfirmed, {baseline, name}));
    tables.push_back(
        ngramDifferenceTable(fmt::format("Confirmed in {} rather than in {}", baseline, name),
                             ngrams.against.firstConfirmed, {baseline, name}));
  }
  tables.push_back(ngramProductionTable("Over-produced by " + name, ngrams.produced.over, name));
  tables.push_back(ngramProductionTable("Under-produced by " + name, ngrams.produced.under, name));
  return tables;
}

Table oracleTable(const Comparison& comparison) {
  const MetricComparison& first = comparison.first();
  Table table{.caption = fmt::format(
                  "{} {:.2f} with the best translation of each sentence; on ties the first "
                  "system's",
                  first.metric->name(), first.oracle.score),
              .columns = textThenNumbers({"system", "sentences", "share"}),
              .marked = {comparison.baseline}};
  std::vector<std::size_t> chosen(comparison.systems.size(), 0);
  for (const std::size_t system : first.oracle.chosen) ++chosen[system];
  for (std::size_t s = 0; s < chosen.size(); ++s) {
    const double share =
        static_cast<double>(chosen[s]) / static_cast<double>(comparison.sentences.size());
    table.rows.push_back(
        {comparison.systems[s].name, Cell::count(chosen[s]), Cell::number(share, kShareNumber)});
  }
  return table;
}

std::vector<std::string> comparisonNotes(const Comparison& comparison) {
  const ComparisonOptions& options = comparison.options;
  std::vector<std::string> notes;
  if (comparison.sentences.size() != comparison.allSentences) {
    notes.push_back(fmt::format(
        "{} of {} sentences: those whose references have no word outside the vocabulary.",
        comparison.sentences.size(), comparison.allSentences));
  }
  if (comparison.sentences.size() == 1) {
    notes.emplace_back(
        "One sentence: it cannot be resampled, so there are no intervals and no tests.");
    return notes;
  }
  const std::string resampling =
      fmt::format("{} resamples, seed {}", options.bootstrap.samples, options.bootstrap.seed);
  const std::string test =
      options.test == SignificanceTest::kBootstrap
          ? fmt::format("paired bootstrap ({})", resampling)
          : fmt::format("approximate randomization ({} trials, seed {})",
                        options.randomization.trials, options.randomization.seed);
  notes.push_back(fmt::format(
      "Differences are from {}, tested by {}; \u25b2 better and \u25bc worse with p < 0.05{}. "
      "Intervals contain the middle 95 % of {}.",
      comparison.systems[comparison.baseline].name, test,
      comparison.systems.size() > 2 ? " with Holm's correction over the systems" : "", resampling));
  return notes;
}

}  // namespace strata
