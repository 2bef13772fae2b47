#include "app/commands/metric_options.h"

#include <fmt/ranges.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <set>
#include <utility>

#include "core/base/error.h"

namespace strata {
namespace {

void addBleuOptions(CLI::App& verb, MetricRequest& request) {
  BleuOptions& bleu = request.of.bleu;
  verb.add_option("--tokenize", request.tokenize,
                  "BLEU tokenizer: 13a, intl, zh (for Chinese), char (for other text without "
                  "spaces) or none")
      ->check(CLI::IsMember({"13a", "intl", "char", "zh", "none"}))
      ->capture_default_str();
  verb.add_option("--smooth", request.smooth, "BLEU smoothing: exp, floor, add-k or none")
      ->check(CLI::IsMember({"exp", "floor", "add-k", "none"}))
      ->capture_default_str();
  verb.add_option("--smooth-value", bleu.smoothValue,
                  "Smoothing value of floor (default 0.1) or add-k (default 1)")
      ->check(CLI::NonNegativeNumber);
  verb.add_option("--order", bleu.order, "BLEU: maximum n-gram order")
      ->check(CLI::Range(1, kMaxBleuOrder))
      ->capture_default_str();
  verb.add_flag("--effective-order", bleu.effectiveOrder,
                "BLEU: leave out n-gram orders longer than the hypothesis");
  verb.add_flag("--split-hyphens", request.of.multiBleu.splitHyphens,
                "multi-bleu: first split a-b into three tokens on both sides");
}

void addChrfAndTerOptions(CLI::App& verb, MetricRequest& request) {
  ChrfOptions& chrf = request.of.chrf;
  verb.add_option("--chrf-char-order", chrf.characterOrder, "chrF: maximum character n-gram order")
      ->capture_default_str();
  verb.add_option("--chrf-word-order", chrf.wordOrder,
                  "chrF: maximum word n-gram order; always 2 for chrf++")
      ->capture_default_str();
  verb.add_option("--chrf-beta", chrf.beta, "chrF: weight of recall relative to precision")
      ->capture_default_str();
  verb.add_flag("--chrf-whitespace", chrf.whitespace, "chrF: count whitespace as characters");
  TerOptions& ter = request.of.ter;
  verb.add_flag("--ter-normalized", ter.normalized, "TER: split off punctuation as separate words");
  verb.add_flag("--ter-case-sensitive", ter.caseSensitive, "TER: case-sensitive");
  verb.add_flag("--ter-no-punctuation", ter.noPunctuation, "TER: ignore punctuation");
  verb.add_flag("--ter-asian", ter.asianSupport,
                "TER: apply --ter-normalized and --ter-no-punctuation to CJK characters too");
}

void addMtevalOptions(CLI::App& verb, MetricRequest& request) {
  MtevalOptions& mteval = request.of.mteval;
  verb.add_flag("--international", mteval.international, "mteval: tokenize at Unicode punctuation");
  verb.add_flag("--cased", request.cased, "mteval: case-sensitive");
  verb.add_flag("!--no-smoothing", mteval.smoothing, "mteval-bleu: no smoothing");
  verb.add_option("--brevity-penalty", request.brevityPenalty, "mteval-bleu: closest or shortest")
      ->check(CLI::IsMember({"closest", "shortest"}))
      ->capture_default_str();
}

}  // namespace

void addMetricOptions(CLI::App& verb, MetricRequest& request, MetricNames names) {
  const bool imported = names == MetricNames::kImportedToo;
  auto* metric =
      verb.add_option("--metric", request.metrics,
                      fmt::format("Any of {}{}", fmt::join(metricNames(), ", "),
                                  imported ? "; with --set also imported scores, by name: "
                                             "'COMET Unbabel/wmt22-comet-da', or COMET"
                                           : ""))
          ->delimiter(',')
          ->capture_default_str();
  if (!imported) metric->check(CLI::IsMember(metricNames()));
  verb.add_flag("--lowercase", request.lowercase, "BLEU, chrF, multi-bleu: ignore case");
  addBleuOptions(verb, request);
  addChrfAndTerOptions(verb, request);
  addMtevalOptions(verb, request);
}

MetricOptions metricOptionsOf(const MetricRequest& request) {
  const std::set<std::string> names(request.metrics.begin(), request.metrics.end());
  if (names.size() != request.metrics.size()) throw usageError("--metric lists a metric twice");
  MetricOptions all = request.of;
  all.bleu.tokenizer = bleuTokenizerNamed(request.tokenize);
  all.bleu.smoothing = bleuSmoothingNamed(request.smooth);
  const bool valued =
      all.bleu.smoothing == BleuSmoothing::kFloor || all.bleu.smoothing == BleuSmoothing::kAddK;
  if (all.bleu.smoothValue && !valued)
    throw usageError("--smooth-value needs --smooth floor or --smooth add-k");
  all.setLowercase(request.lowercase);
  all.mteval.caseSensitive = request.cased;
  all.mteval.shortestReference = request.brevityPenalty == "shortest";
  return all;
}

SystemOutput readSystemFile(const std::string& path, const SentenceOptions& reading,
                            const std::string& likely) {
  SystemOutput output = readSystemOutput(path, {}, {.reading = reading, .likely = likely});
  for (const std::string& warning : output.warnings) spdlog::warn("{}", warning);
  if (output.format != "plain") spdlog::info("{}: read as {}", path, output.format);
  return output;
}

std::vector<SentenceText> readReferenceFiles(const std::vector<std::string>& paths,
                                             const SentenceOptions& reading) {
  std::vector<SentenceText> references;
  for (const std::string& path : paths) {
    for (SentenceText& text : readAllSentences(reading.input(path, TextRole::kReference)))
      references.push_back(std::move(text));
  }
  const SentenceText& first = references.front();
  for (std::size_t r = 1; r < references.size(); ++r) {
    putInOrder(first, references[r]);
    checkLineCounts(references[r].name, references[r].lines.size(), first.name, first.lines.size());
  }
  return references;
}

void putInOrder(const SentenceText& reference, const std::string& path, SystemOutput& output) {
  SentenceText text{.name = path, .lines = std::move(output.lines), .keys = std::move(output.keys)};
  putInOrder(reference, text);
  output.lines = std::move(text.lines);
  output.keys = std::move(text.keys);
}

void checkLineCounts(const std::string& path, std::size_t lines, const std::string& reference,
                     std::size_t referenceLines) {
  if (lines == referenceLines) return;
  throw Error(
      "{} has {} lines and {} has {}: line n of one belongs to line n of the other, and line {} of "
      "{} has none",
      path, lines, reference, referenceLines, std::min(lines, referenceLines) + 1,
      lines > referenceLines ? path : reference);
}

}  // namespace strata
