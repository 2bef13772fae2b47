#include "core/decode/unknown_words.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <map>

#include "core/base/error.h"
#include "core/text/words.h"

namespace strata {
namespace {

bool isAlignment(const RecordingInfo& info) {
  using Axes = std::vector<std::string>;
  if (info.kind == "joint_attention") return info.axes == Axes{"target", "memory"};
  return info.kind == "attention" &&
         (info.axes == Axes{"target", "source"} || info.axes == Axes{"head", "target", "source"});
}

// The part of a name before the decoder: which model of an ensemble it is.
std::string modelOf(const std::string& name) {
  const auto at = name.find("decoder.");
  return name.substr(0, at == std::string::npos ? 0 : at);
}

// Adds a map's heads, or the requested head, to weights [T, S]. If source and history share the
// columns, the source's come first.
void addMap(const Recording& map, int head, std::vector<double>& weights) {
  const std::int64_t heads = map.info.axes.front() == "head" ? map.shape.front() : 1;
  if (head >= heads)
    throw usageError("{} has {} heads, numbered from 0; there is no head {}", map.info.name, heads,
                     head);
  const std::int64_t rows = map.shape[map.shape.size() - 2], columns = map.shape.back();
  const std::int64_t sources = map.info.axes.back() == "memory" ? columns - rows : columns;
  weights.resize(static_cast<std::size_t>(rows * sources), 0);
  for (std::int64_t h = 0; h < heads; ++h) {
    if (head >= 0 && h != head) continue;
    const double share = head >= 0 ? 1 : 1 / static_cast<double>(heads);
    for (std::int64_t t = 0; t < rows; ++t) {
      const float* row = map.values.data() + (h * rows + t) * columns;
      for (std::int64_t s = 0; s < sources; ++s)
        weights[static_cast<std::size_t>(t * sources + s)] += share * static_cast<double>(row[s]);
    }
  }
}

}  // namespace

std::vector<std::string> alignmentNames(const TranslationModel& model,
                                        const AlignmentOptions& options) {
  std::vector<RecordingInfo> all;
  std::string known;
  std::map<std::string, int> lastLayers;  // by model
  for (RecordingInfo& info : model.recordable()) {
    if (!isAlignment(info)) continue;
    known += (known.empty() ? "" : ", ") + info.name;
    const auto [last, added] = lastLayers.emplace(modelOf(info.name), info.layer);
    last->second = std::max(last->second, info.layer);
    all.push_back(std::move(info));
  }
  if (all.empty())
    throw usageError(
        "--posunk needs to know which source word a word was translated from; a model of family "
        "'{}' with this configuration has no attention from target to source words",
        model.config().value("family", ""));
  std::vector<std::string> names;
  const Recorder asked(std::vector<std::string>{options.attention});
  for (const RecordingInfo& info : all) {
    if (options.attention.empty() ? info.layer == lastLayers.at(modelOf(info.name))
                                  : asked.wants(info.name))
      names.push_back(info.name);
  }
  if (names.empty())
    throw usageError("The model has no attention '{}' from target to source words; it has {}",
                     options.attention, known);
  return names;
}

std::vector<std::int64_t> alignedPositions(const Hypothesis& hypothesis,
                                           const std::vector<std::string>& names, int head) {
  std::vector<double> weights;  // [T, S]
  for (const Recording& recording : hypothesis.recordings) {
    if (std::ranges::find(names, recording.info.name) != names.end())
      addMap(recording, head, weights);
  }
  const std::size_t rows = hypothesis.tokens.size(), columns = weights.size() / rows;
  std::vector<std::int64_t> positions;
  for (std::size_t t = 0; t < rows; ++t) {
    const auto row = weights.begin() + static_cast<std::ptrdiff_t>(t * columns);
    const auto end = row + static_cast<std::ptrdiff_t>(std::max<std::size_t>(columns, 1) - 1);
    positions.push_back(std::max_element(row, end) - row);
  }
  return positions;
}

UnknownWords::UnknownWords(const TranslationModel& model, TextPipeline& text, Lexicon lexicon,
                           AlignmentOptions options)
    : text_(text),
      lexicon_(std::move(lexicon)),
      options_(std::move(options)),
      names_(alignmentNames(model, options_)) {}

std::vector<std::string> UnknownWords::wordOfEachPosition(std::string_view source) {
  std::vector<std::string> words;
  for (const std::string& word : wordsOf(text_.tokens(Side::kSource, source))) {
    const std::size_t units = wordsOf(text_.units(Side::kSource, word)).size();
    words.insert(words.end(), units, word);
  }
  return words;
}

std::vector<std::string> UnknownWords::units(const Hypothesis& hypothesis,
                                             std::string_view source) {
  std::vector<std::int64_t> positions;
  std::vector<std::string> words, units;
  if (std::ranges::find(hypothesis.tokens, kUnknownId) != hypothesis.tokens.end()) {
    positions = alignedPositions(hypothesis, names_, options_.head);
    words = wordOfEachPosition(source);
  }
  for (std::size_t t = 0; t < hypothesis.tokens.size(); ++t) {
    const TokenId token = hypothesis.tokens[t];
    if (token == kUnknownId) {
      units.emplace_back(lexicon_.translationOf(words.at(static_cast<std::size_t>(positions[t]))));
    } else if (token >= kFirstWordId) {
      units.push_back(text_.vocabulary(Side::kTarget).wordOf(token));
    }
  }
  return units;
}

std::string UnknownWords::tokens(const Hypothesis& hypothesis, std::string_view source) {
  return text_.joinUnits(Side::kTarget,
                         fmt::format("{}", fmt::join(units(hypothesis, source), " ")));
}

}  // namespace strata
