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
  Table table{.columns = {{"system"}, {compared.metric->name(), Align::kRight}},
              .marked = {comparison.baseline}};
  const bool several = systems.size() > 2;
  const bool tests = std::ranges::any_of(systems, [](const auto& s) { return s.test.has_value(); });
  if (tests) table.addColumn("95 % interval");
  table.addColumn("difference");
  if (tests) {
    table.addColumn("95 % interval");
    table.addColumn("p");
    if (several) table.addColumn("p (Holm)");
    table.columns.push_back({"against the baseline"});
  }
  for (std::size_t s = 0; s < systems.size(); ++s) {
    const SystemScore& system = systems[s];
    const auto& test = system.test;
    std::vector<Cell> row{comparison.systems[s].name, Cell::number(system.score)};
    if (tests) row.push_back(system.interval ? intervalCell(*system.interval) : "");
    row.push_back(s == comparison.baseline ? "" : Cell::number(system.difference, kSignedNumber));
    if (tests) {
      row.push_back(test ? Cell::range(test->low, test->high) : "");
      row.push_back(test ? Cell::number(test->pValue, kProbability) : "");
      if (several) row.push_back(test ? Cell::number(test->pHolm, kProbability) : "");
      row.push_back(s == comparison.baseline ? "baseline" : verdictOf(compared, system));
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

Table ngramDifferenceTable(const std::string& caption,
                           const std::vector<NGramDifference>& differences,
                           const std::pair<std::string, std::string>& systems) {
  Table table{.caption = caption,
              .columns = {{"n-gram"},
                          {"order", Align::kRight},
                          {systems.first, Align::kRight},
                          {systems.second, Align::kRight}}};
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
              .columns = {{"n-gram"},
                          {"order", Align::kRight},
                          {system, Align::kRight},
                          {"references", Align::kRight},
                          {"confirmed", Align::kRight}}};
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
  Table table{.columns = {{"system"}}, .marked = {comparison.baseline}};
  for (const MetricComparison& compared : comparison.metrics)
    table.addColumn(compared.metric->name());
  for (std::size_t s = 0; s < comparison.systems.size(); ++s) {
    std::vector<Cell> row{comparison.systems[s].name};
    for (const MetricComparison& compared : comparison.metrics) {
      const SystemScore& system = compared.systems[s];
      row.push_back(Cell::number(system.score).mark(significanceMark(compared, system)));
    }
    table.rows.push_back(std::move(row));
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
  Table table{.caption = "Words are split at spaces",
              .columns = {{"system"},
                          {"words", Align::kRight},
                          {"length ratio", Align::kRight},
                          {"types / words", Align::kRight},
                          {"empty lines", Align::kRight},
                          {"repeating lines", Align::kRight},
                          {"repeated words", Align::kRight}},
              .marked = {comparison.baseline}};
  const bool source = !comparison.source.empty();
  if (source) {
    for (const char* title : {"source lines", "copied words", "invented words"})
      table.addColumn(title);
  }
  for (std::size_t s = 0; s < comparison.systems.size(); ++s) {
    const TextStatistics& statistics = comparison.statistics[s];
    std::vector<Cell> row{comparison.systems[s].name,
                          Cell::count(statistics.words),
                          Cell::number(statistics.lengthRatio(), {.digits = 3}),
                          Cell::number(statistics.typeTokenRatio(), {.digits = 3}),
                          Cell::count(statistics.emptyLines),
                          Cell::count(statistics.repeatingLines),
                          Cell::number(statistics.repeatedWordShare(), kShareNumber)};
    if (source) {
      row.push_back(Cell::count(statistics.source ? statistics.source->equalLines : 0));
      row.push_back(Cell::number(statistics.copiedShare(), kShareNumber));
      row.push_back(Cell::number(statistics.inventedShare(), kShareNumber));
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

Table bucketTable(const Comparison& comparison, const BucketTable& buckets) {
  Table table{.caption = buckets.title + ": " + comparison.first().metric->name(),
              .columns = {{"bucket"}}};
  if (buckets.common) {
    table.addColumn("sentences");
    table.addColumn("share");
  }
  for (const ComparedSystem& system : comparison.systems) table.addColumn(system.name);
  for (std::size_t b = 0; b < buckets.labels.size(); ++b) {
    std::vector<Cell> row{Cell::placed(buckets.labels[b], b)};
    if (buckets.common) {
      row.push_back(Cell::count(buckets.scores.front()[b].count));
      row.push_back(Cell::number(buckets.scores.front()[b].share, kShareNumber));
    }
    for (const auto& scores : buckets.scores) {
      const BucketScore& score = scores[b];
      Cell cell = scoreCell(score);
      if (!buckets.common)
        cell.add(fmt::format(" ({}, {})", score.count, numberText(score.share, kShareNumber)));
      row.push_back(std::move(cell));
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

Table wordAccuracyTable(const Comparison& comparison) {
  Table table{.caption =
                  "F1 (precision / recall), per cent, of words by their count in the training "
                  "text",
              .columns = {{"training count"}, {"words of the reference", Align::kRight}}};
  for (const ComparedSystem& system : comparison.systems) table.addColumn(system.name);
  for (std::size_t b = 0; b < comparison.wordAccuracy.front().size(); ++b) {
    const WordAccuracy& any = comparison.wordAccuracy.front()[b];
    std::vector<Cell> row{Cell::placed(any.label, b), Cell::count(any.reference)};
    for (const auto& system : comparison.wordAccuracy) {
      const WordAccuracy& each = system[b];
      if (each.reference == 0 && each.hypothesis == 0) {
        row.emplace_back(std::string(kNoValue));
        continue;
      }
      row.push_back(
          Cell::number(100 * each.f1(), {.digits = 1})
              .add(fmt::format(" ({:.1f} / {:.1f})", 100 * each.precision(), 100 * each.recall())));
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

Table ngramTotalsTable(const Comparison& comparison) {
  Table table{
      .caption = "Confirmed n-grams (found in a reference), by order; of " + comparison.tokens,
      .columns = {{"system"}},
      .marked = {comparison.baseline}};
  for (const NGramTotals& totals : comparison.ngrams.front().produced.totals)
    table.addColumn(fmt::to_string(totals.order));
  for (std::size_t s = 0; s < comparison.systems.size(); ++s) {
    std::vector<Cell> row{comparison.systems[s].name};
    for (const NGramTotals& totals : comparison.ngrams[s].produced.totals) {
      const std::int64_t all = totals.confirmed + totals.unconfirmed;
      row.push_back(Cell::count(totals.confirmed).add(fmt::format(" of {}", all)));
    }
    table.rows.push_back(std::move(row));
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
              .columns = {{"system"}, {"sentences", Align::kRight}, {"share", Align::kRight}},
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
