#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>

#include "core/base/json.h"
#include "core/metrics/bleu_metric.h"
#include "core/report/comparison_page_parts.h"

namespace strata {
namespace {

constexpr std::string_view kJoint = "\u2063";

void addString(std::string_view text, std::string& out) {
  out += '"';
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out.append({'\\', c});
    } else if (byte < 0x20 || c == '<') {  // '<' could end the script element
      out += fmt::format("\\u{:04x}", byte);
    } else {
      out += c;
    }
  }
  out += '"';
}

template <typename Items, typename Add>
void addList(const Items& items, std::string& out, Add add) {
  out += '[';
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (i > 0) out += ',';
    add(items[i]);
  }
  out += ']';
}

void addStrings(const std::vector<std::string>& lines, std::string& out) {
  addList(lines, out, [&](const std::string& text) { addString(text, out); });
}

void addInteger(double value, std::string& out) {
  out.append(fmt::format_int(std::llround(value)).c_str());
}

void addJointLines(const std::vector<std::string>& lines, const std::vector<std::string>& tokenized,
                   std::string& out) {
  out += '[';
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (i > 0) out += ',';
    addString(withJoints(lines[i], tokenized[i]), out);
  }
  out += ']';
}

// Of each row the lengths and the right n-grams: how many n-grams there are follows from the
// length.
void addRows(const MetricRows& rows, std::size_t order, std::string& out) {
  out += '[';
  for (std::size_t i = 0; i < rows.sentences(); ++i) {
    const auto row = rows.row(i);
    for (std::size_t c = 0; c < 2 + order; ++c) {
      if (i + c > 0) out += ',';
      addInteger(row[c], out);
    }
  }
  out += ']';
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
  addList(bleu->rows, out, [&](const MetricRows& rows) { addRows(rows, order, out); });
  out += '}';
}

void addTexts(const Comparison& comparison, std::string& out) {
  out += ",\n\"source\":";
  addStrings(comparison.source, out);
  out += ",\n\"references\":[";
  for (std::size_t r = 0; r < comparison.references.size(); ++r) {
    if (r > 0) out += ",\n";
    addJointLines(comparison.references[r], comparison.tokenizedReferences[r], out);
  }
  out += "],\n\"texts\":[";
  for (std::size_t s = 0; s < comparison.systems.size(); ++s) {
    if (s > 0) out += ",\n";
    addJointLines(comparison.systems[s].lines, comparison.tokenizedSystems[s], out);
  }
  out += ']';
}

}  // namespace

std::string withJoints(std::string_view line, std::string_view tokenized) {
  std::string out;
  std::size_t at = 0;
  while (at < line.size() && line[at] == ' ') out += line[at++];
  for (std::size_t t = 0; t < tokenized.size(); ++t) {
    if (at < line.size() && line[at] == tokenized[t]) {
      out += line[at++];
    } else if (tokenized[t] == ' ') {
      out += kJoint;
    } else {
      return std::string(tokenized);
    }
    // Several spaces where the tokenizer has one, which has just been written.
    if (tokenized[t] == ' ') {
      while (at < line.size() && line[at] == ' ') out += line[at++];
    }
  }
  for (; at < line.size(); ++at) {
    if (line[at] != ' ') return std::string(tokenized);
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
  std::string out = "{\"metric\":";
  addString(comparison.first().metric->name(), out);
  out += fmt::format(",\"higher\":{},\"baseline\":{},\"lowercase\":{},\"systems\":",
                     comparison.first().metric->higherIsBetter(), comparison.baseline,
                     comparison.lowercase);
  std::vector<std::string> names;
  for (const ComparedSystem& system : comparison.systems) names.push_back(system.name);
  addStrings(names, out);
  // Hundredths, as they are shown.
  out += ",\n\"scores\":";
  addList(comparison.sentenceScores, out, [&](const std::vector<double>& scores) {
    addList(scores, out, [&](double score) { addInteger(100 * score, out); });
  });
  const auto integer = [&](double value) { addInteger(value, out); };
  out += ",\n\"lengths\":";
  addList(sentenceLengths(comparison.references.front()), out, integer);
  out += ",\n\"unknown\":";
  addList(comparison.unknownWords, out, integer);
  out += ",\n\"lines\":";
  addList(comparison.sentences, out,
          [&](std::size_t line) { out.append(fmt::format_int(line + 1).c_str()); });
  out += ",\n\"bleu\":";
  addBleu(comparison, out);
  addTexts(comparison, out);
  return out + "}";
}

}  // namespace strata
