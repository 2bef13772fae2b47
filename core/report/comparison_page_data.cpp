#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <span>

#include "core/base/json.h"
#include "core/metrics/bleu_metric.h"
#include "core/metrics/word_diff.h"
#include "core/report/comparison_page_parts.h"
#include "core/text/casing.h"

namespace strata {
namespace {

void addString(std::string_view text, std::string& out) {
  out += '"';
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out.append({'\\', c});
    } else if (c == '\n') {
      out += "\\n";
    } else if (byte < 0x20 || c == '<') {  // '<' could end the script element
      out += fmt::format("\\u{:04x}", byte);
    } else {
      out += c;
    }
  }
  out += '"';
}

// A list; `add` writes the item at a position.
template <typename Add>
void addList(std::size_t size, std::string& out, Add add, const char* separator = ",") {
  out += '[';
  for (std::size_t i = 0; i < size; ++i) {
    if (i > 0) out += separator;
    add(i);
  }
  out += ']';
}

void addStrings(const std::vector<std::string>& lines, std::string& out) {
  addList(lines.size(), out, [&](std::size_t i) { addString(lines[i], out); });
}

void addIntegers(std::span<const double> values, std::string& out) {
  addList(values.size(), out,
          [&](std::size_t i) { out += fmt::format_int(std::llround(values[i])).c_str(); });
}

// Numbers, null for NaN.
void addScores(std::span<const double> scores, std::string& out) {
  addList(scores.size(), out, [&](std::size_t i) {
    out += std::isnan(scores[i]) ? std::string("null") : fmt::format("{}", scores[i]);
  });
}

// The line withJoints; if the tokenizer changes more than spaces, the tokenised and the plain line.
void addText(const std::string& line, const std::string& tokenized, std::string& out) {
  if (const auto joined = withJoints(line, tokenized)) {
    addString(*joined, out);
  } else {
    addStrings({tokenized, line}, out);
  }
}

void addTokenizedLines(const std::vector<std::string>& lines,
                       const std::vector<std::string>& tokenized, std::string& out) {
  addList(lines.size(), out, [&](std::size_t i) { addText(lines[i], tokenized[i], out); });
}

void addBleu(const Comparison& comparison, std::string& out) {
  const MetricComparison* bleu = pageBleu(comparison);
  if (bleu == nullptr) {
    out += "null";
    return;
  }
  const bool moses = dynamic_cast<const MultiBleuMetric*>(bleu->metric.get()) != nullptr;
  const BleuOptions& options = comparison.options.of.bleu;
  const std::size_t order = (bleu->metric->width() - 2) / 2;
  const double value =
      options.smoothValue.value_or(options.smoothing == BleuSmoothing::kFloor ? 0.1 : 1.0);
  out += "{\"name\":";
  addString(bleu->metric->name(), out);
  out += fmt::format(
      ",\"moses\":{},\"order\":{},\"smoothing\":\"{}\",\"value\":{},\"effective\":{},\"rows\":",
      moses, order, nameOf(options.smoothing), value, options.effectiveOrder);
  addList(bleu->rows.size(), out, [&](std::size_t s) { addIntegers(bleu->rows[s].values, out); });
  out += '}';
}

void addTexts(const Comparison& comparison, std::string& out) {
  out += ",\n\"source\":";
  addStrings(comparison.source, out);
  out += ",\n\"references\":";
  addList(
      comparison.references.size(), out,
      [&](std::size_t r) {
        addTokenizedLines(comparison.references[r], comparison.tokenizedReferences[r], out);
      },
      ",\n");
  out += ",\n\"texts\":";
  addList(
      comparison.systems.size(), out,
      [&](std::size_t s) {
        addTokenizedLines(comparison.systems[s].lines, comparison.tokenizedSystems[s], out);
      },
      ",\n");
}

// The edits from one line to the other, in words: "=3-1+2" keeps three, removes one, adds two.
std::string changes(const std::string& left, const std::string& right) {
  std::string steps;
  for (const DiffRun& run : wordDiff(left, right)) {
    const bool lost = run.kind == DiffKind::kLeft;
    steps += run.kind == DiffKind::kSame ? '=' : lost ? '-' : '+';
    steps +=
        fmt::format_int(lost ? run.leftEnd - run.leftBegin : run.rightEnd - run.rightBegin).c_str();
  }
  return steps;
}

// The marks in a system's translations: per word, as one digit, the order of the longest confirmed
// n-gram that includes it; the changes against the baseline (none for the baseline itself) and
// against the first reference.
void addMarks(const Comparison& comparison, std::size_t system, std::string& out) {
  const auto& lines = comparison.tokenizedSystems[system];
  const auto& references = comparison.tokenizedReferences;
  const NGramOptions options{.lowercase = comparison.lowercase};
  const auto key = [&](const std::string& line) {
    return comparison.lowercase ? lowercased(line) : line;
  };
  std::vector<std::string> confirmed, fromBaseline, fromReference;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    std::vector<std::string> ofSentence;
    for (const auto& reference : references) ofSentence.push_back(reference[i]);
    std::string& digits = confirmed.emplace_back();
    for (const int order : confirmedTokens(lines[i], ofSentence, options))
      digits += static_cast<char>('0' + order);
    const std::string line = key(lines[i]);
    if (system != comparison.baseline)
      fromBaseline.push_back(
          changes(key(comparison.tokenizedSystems[comparison.baseline][i]), line));
    fromReference.push_back(changes(key(references.front()[i]), line));
  }
  out += "{\"confirmed\":";
  addStrings(confirmed, out);
  out += ",\"baseline\":";
  addStrings(fromBaseline, out);
  out += ",\"reference\":";
  addStrings(fromReference, out);
  out += '}';
}

}  // namespace

std::optional<std::string> withJoints(std::string_view line, std::string_view tokenized) {
  std::string out;
  std::size_t at = 0;
  while (at < line.size() && line[at] == ' ') out += line[at++];
  for (std::size_t t = 0; t < tokenized.size(); ++t) {
    if (at < line.size() && line[at] == tokenized[t]) {
      out += line[at++];
    } else if (tokenized[t] == ' ') {
      out += kJoint;
    } else {
      return std::nullopt;
    }
    // Copies further spaces; the tokenizer's single one has been written.
    if (tokenized[t] == ' ') {
      while (at < line.size() && line[at] == ' ') out += line[at++];
    }
  }
  for (; at < line.size(); ++at) {
    if (line[at] != ' ') return std::nullopt;
  }
  return out;
}

const MetricComparison* pageBleu(const Comparison& comparison) {
  for (const MetricComparison& compared : comparison.metrics) {
    const Metric* metric = compared.metric.get();
    if (dynamic_cast<const BleuMetric*>(metric) != nullptr ||
        dynamic_cast<const MultiBleuMetric*>(metric) != nullptr)
      return &compared;
  }
  return nullptr;
}

std::string pageData(const Comparison& comparison) {
  const Metric& metric = *comparison.first().metric;
  std::string out = "{\"metric\":";
  addString(metric.name(), out);
  out +=
      fmt::format(",\"digits\":{},\"higher\":{},\"baseline\":{},\"systems\":", scoreDigits(metric),
                  metric.higherIsBetter(), comparison.baseline);
  const auto& scores = comparison.sentenceScores;
  const auto& sentences = comparison.sentences;
  addList(comparison.systems.size(), out,
          [&](std::size_t s) { addString(comparison.systems[s].name, out); });
  out += ",\n\"scores\":";
  addList(scores.size(), out, [&](std::size_t s) { addScores(scores[s], out); });
  out += ",\n\"lengths\":";
  addIntegers(sentenceLengths(comparison.references.front()), out);
  out += ",\n\"unknown\":";
  addIntegers(comparison.unknownWords, out);
  out += ",\n\"lines\":";
  addList(sentences.size(), out,
          [&](std::size_t i) { out += fmt::format_int(sentences[i] + 1).c_str(); });
  out += ",\n\"bleu\":";
  addBleu(comparison, out);
  addTexts(comparison, out);
  out += ",\n\"marks\":";
  addList(
      comparison.systems.size(), out, [&](std::size_t s) { addMarks(comparison, s, out); }, ",\n");
  return out + "}";
}

}  // namespace strata
