#include "core/report/comparison_tables.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "core/compare/worth.h"
#include "core/metrics/tokenization_check.h"

namespace strata {
namespace {

constexpr const char *kDifferenceTitle = "difference", *kWorthTitle = "worth to people";

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
  const Metric& metric = *compared.metric;
  const int digits = scoreDigits(metric);
  const bool tests = std::ranges::any_of(systems, [](const auto& s) { return s.test.has_value(); });
  const bool intervals =
      std::ranges::any_of(systems, [](const auto& s) { return s.interval.has_value(); });
  const bool worth = tests && std::ranges::any_of(systems, [&](const auto& s) {
                       const bool other = &s != &systems[comparison.baseline];
                       return other && worthToPeople(metric, s.difference).has_value();
                     });
  for (std::size_t s = 0; s < systems.size(); ++s) {
    const SystemScore& system = systems[s];
    const auto& test = system.test;
    const bool baseline = s == comparison.baseline;
    table.beginRow("system", comparison.systems[s].name);
    table.addNumber(metric.name(), scoreCell(metric, system.score));
    if (intervals)
      table.addNumber("95 % interval",
                      system.interval ? intervalCell(metric, *system.interval) : "");
    if (systems.size() < 2) continue;
    table.addNumber(kDifferenceTitle,
                    baseline ? "" : scoreCell(metric, system.difference, NumberForm::kSigned));
    if (worth)
      table.addNumber(kWorthTitle, baseline ? "" : worthCell(comparison, compared, system));
    if (!tests) continue;
    table.addNumber("95 % interval", test ? Cell::range(test->low, test->high, digits) : "");
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

// A note on sentences for which imported scores have no value.
void addMissing(const Comparison& comparison, const MetricComparison& compared, std::size_t system,
                std::vector<std::string>& notes) {
  if (importedMetric(*compared.metric) == nullptr) return;
  const std::size_t all = comparison.sentences.size(),
                    scored = ImportedMetric::scored(compared.rows[system]);
  const std::string& name = comparison.systems[system].name;
  if (scored == 0) {
    notes.push_back(fmt::format("{} has no imported {}.", name, compared.metric->name()));
  } else if (scored < all) {
    notes.push_back(fmt::format(
        "{} of {} has no value for {} of {} sentences: its score is the mean of the others.",
        compared.metric->name(), name, all - scored, all));
  }
}

}  // namespace

Cell scoreCell(const Metric& metric, double score, NumberForm form) {
  if (std::isnan(score)) return std::string(kNoValue);
  return Cell::number(score, {.digits = scoreDigits(metric), .form = form});
}

Cell intervalCell(const Metric& metric, const ConfidenceInterval& interval) {
  return Cell::plusMinus(interval.mean, interval.halfWidth, {.digits = scoreDigits(metric)});
}

Cell worthCell(const Comparison& comparison, const MetricComparison& compared,
               const SystemScore& system) {
  const auto worth = worthToPeople(*compared.metric, system.difference);
  if (!worth) return "";
  Cell cell = worth->isChance()
                  ? Cell("chance")
                  : Cell::number(worth->share, {.digits = 0, .form = NumberForm::kPercent});
  if (!worth->isChance() && !compared.improves(system.difference))
    cell.add(" for " + comparison.systems[comparison.baseline].name);
  return cell;
}

std::string scoreColumnNote(const Comparison& comparison, std::size_t metric,
                            const std::string& title) {
  const MetricComparison& compared = comparison.metrics[metric];
  const std::string& baseline = comparison.systems[comparison.baseline].name;
  const std::string points = scoreDigits(*compared.metric) > 2 ? "on its scale" : "in points";
  if (title == compared.metric->name()) {
    return fmt::format("{} of all sentences, {}; {} is better. {}", title, points,
                       compared.metric->higherIsBetter() ? "higher" : "lower", compared.signature);
  }
  if (title == "95 % interval")
    return fmt::format("The middle 95 % of {} resamples of the sentences, {}",
                       comparison.options.bootstrap.samples, points);
  if (title == kDifferenceTitle) return fmt::format("Minus that of {}, {}", baseline, points);
  if (title == "p") return "p-value of the difference, 0 to 1";
  if (title == "p (Holm)") return "p-value after Holm's correction over the systems, 0 to 1";
  const auto known = worthToPeople(*compared.metric, 0);
  if (title != kWorthTitle || !known) return "";
  return fmt::format(
      "How often people prefer the better of two systems whose {} differs this much: per cent of "
      "pairs of systems in the human evaluations of WMT, as fitted by Kocmi et al. (2024), "
      "Navigating the Metrics Maze. Chance: 50 % or less; people do not notice such a difference.",
      known->study);
}

CellMark significanceMark(const MetricComparison& compared, const SystemScore& system) {
  if (!system.test || !system.test->significant() || system.difference == 0) return CellMark::kNone;
  return compared.improves(system.difference) ? CellMark::kBetter : CellMark::kWorse;
}

Cell scoreCell(const Metric& metric, const BucketScore& score) {
  if (score.count == 0 || std::isnan(score.score)) return std::string(kNoValue);
  if (!score.interval) return scoreCell(metric, score.score);
  return Cell::plusMinus(score.score, score.interval->halfWidth, {.digits = scoreDigits(metric)});
}

Table overviewTable(const Comparison& comparison) {
  Table table{.marked = {comparison.baseline}};
  for (std::size_t s = 0; s < comparison.systems.size(); ++s) {
    table.beginRow("system", comparison.systems[s].name);
    for (const MetricComparison& compared : comparison.metrics) {
      const SystemScore& system = compared.systems[s];
      table.addNumber(
          compared.metric->name(),
          scoreCell(*compared.metric, system.score).mark(significanceMark(compared, system)));
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
    row.insert(row.begin() + 1, scoreCell(*compared.metric, compared.systems[s].score));
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
      Cell cell = scoreCell(*comparison.first().metric, score);
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
                  "{} {} with the best translation of each sentence; on ties the first system's",
                  first.metric->name(), scoreCell(*first.metric, first.oracle.score).text()),
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

std::vector<std::string> tokenizationNotes(const Comparison& comparison) {
  std::vector<std::string> notes;
  for (const ComparedSystem& system : comparison.systems) {
    for (const std::string& warning :
         tokenizationWarnings(system.name, system.lines, comparison.references))
      notes.push_back(warning + ".");
  }
  return notes;
}

namespace {

// Systems whose text is in lower case, if a metric compares it with references that are not.
void addLowerCased(const Comparison& comparison, std::vector<std::string>& notes) {
  const bool cased = std::ranges::any_of(comparison.metrics, [](const MetricComparison& compared) {
    return compared.metric->signature().find("case:mixed") != std::string::npos;
  });
  if (!cased) return;
  std::vector<std::string> names;
  for (const ComparedSystem& system : comparison.systems) {
    if (lackCapitals(system.lines, comparison.references)) names.push_back(system.name);
  }
  if (names.empty()) return;
  notes.push_back(
      fmt::format("No capital letter is in the text of {}, but the references have some: scores "
                  "that count case are lower for that alone. Compare with case ignored "
                  "(--lowercase).",
                  fmt::join(names, ", ")));
}

std::vector<std::string> methodNotes(const Comparison& comparison) {
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
  for (const MetricComparison& compared : comparison.metrics) {
    for (std::size_t s = 0; s < comparison.systems.size(); ++s)
      addMissing(comparison, compared, s, notes);
  }
  const std::string resampling =
      fmt::format("{} resamples, seed {}", options.bootstrap.samples, options.bootstrap.seed);
  if (comparison.systems.size() == 1) {
    notes.push_back(fmt::format("Intervals contain the middle 95 % of {}.", resampling));
    return notes;
  }
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

}  // namespace

std::vector<std::string> comparisonNotes(const Comparison& comparison) {
  std::vector<std::string> notes = methodNotes(comparison);
  for (std::string& warning : tokenizationNotes(comparison)) notes.push_back(std::move(warning));
  addLowerCased(comparison, notes);
  return notes;
}

}  // namespace strata
