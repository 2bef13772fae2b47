#include "core/inside/attention_maps.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/base/error.h"
#include "core/base/parse_number.h"
#include "core/text/detokenizer.h"

namespace strata {
namespace {

constexpr std::string_view kEnd = "</s>";

// A recording's part of one kind: units x rows x columns, of which `offset` columns are skipped.
struct Slice {
  AttentionLayer about;
  int firstUnit = 0;
  const Recording* recording = nullptr;
  std::size_t rows = 0, columns = 0, offset = 0, width = 0;  // width: of a recorded row

  const float* row(int unit, std::size_t row) const {
    const auto at = static_cast<std::size_t>(unit - firstUnit) * rows + row;
    return recording->values.data() + at * width + offset;
  }
};

// "decoder.layers.0.attn.3" is part 3; 0 for names that do not end in a number.
int partOf(const std::string& name) {
  const auto dot = name.rfind('.');
  if (dot == std::string::npos) return 0;
  return parseNumber<int>(std::string_view(name).substr(dot + 1)).value_or(0);
}

bool isAttentionKind(const std::string& kind) {
  return kind == "attention" || isHistoryKind(kind);
}

std::optional<AttentionKind> kindOf(const std::string& rows, const std::string& columns) {
  if (rows == "source" && columns == "source") return AttentionKind::kEncoder;
  if (rows == "target" && columns == "history") return AttentionKind::kHistory;
  if (rows == "target" && columns == "source") return AttentionKind::kSource;
  return std::nullopt;
}

void addSlices(const SentenceRecordings& sentence, const Recording& recording,
               std::vector<Slice>& slices) {
  const auto& axes = recording.info.axes;
  if (!isAttentionKind(recording.info.kind) || axes.size() < 2 || axes.size() > 3 ||
      recording.shape.size() != axes.size() || (axes.size() == 3 && axes[0] != "head"))
    return;
  const bool heads = axes.size() == 3;
  const std::size_t sources = sentence.source.size(), targets = sentence.target.size();
  const std::string &rowAxis = axes[axes.size() - 2], &columnAxis = axes.back();
  Slice slice;
  slice.about.layer = std::max(0, recording.info.layer);
  slice.about.heads = heads;
  slice.about.units = heads ? static_cast<int>(recording.shape[0]) : 1;
  slice.firstUnit = heads ? 0 : partOf(recording.info.name);
  slice.recording = &recording;
  slice.rows = rowAxis == "source" ? sources : targets;
  slice.about.joint = columnAxis == "memory" && rowAxis == "target";
  slice.width = slice.about.joint ? sources + targets : columnAxis == "history" ? targets : sources;
  const auto isSize = [&](std::size_t axis, std::size_t size) {
    return recording.shape[axis] == static_cast<std::int64_t>(size);
  };
  if (slice.about.units < 1 || slice.rows == 0 || slice.width == 0 ||
      !isSize(axes.size() - 2, slice.rows) || !isSize(axes.size() - 1, slice.width))
    return;
  const auto add = [&](AttentionKind kind, std::size_t offset, std::size_t columns) {
    slice.about.kind = kind;
    slice.offset = offset;
    slice.columns = columns;
    slices.push_back(slice);
  };
  if (slice.about.joint) {
    add(AttentionKind::kSource, 0, sources);
    add(AttentionKind::kHistory, sources, targets);
  } else if (const auto kind = kindOf(rowAxis, columnAxis)) {
    add(*kind, 0, slice.width);
  }
}

std::vector<Slice> slicesOf(const SentenceRecordings& sentence) {
  std::vector<Slice> slices;
  for (const Recording& recording : sentence.recordings) addSlices(sentence, recording, slices);
  return slices;
}

std::vector<std::string> labelsOf(const std::vector<std::string>& tokens) {
  std::vector<std::string> labels;
  for (const std::string& token : tokens) labels.push_back(withoutEntities(token));
  return labels;
}

std::vector<std::string> wordsReadIn(const std::vector<std::string>& generated) {
  std::vector<std::string> read{std::string(kEnd)};
  read.insert(read.end(), generated.begin(), generated.end());
  read.pop_back();
  return read;
}

Grid meanOfSlices(const std::vector<Slice>& slices, const AttentionChoice& choice) {
  Grid mean;
  std::vector<double> sums;
  int count = 0;
  for (const Slice& slice : slices) {
    if (slice.about.kind != choice.kind) continue;
    if (choice.layer >= 0 && slice.about.layer != choice.layer) continue;
    for (int unit = slice.firstUnit; unit < slice.firstUnit + slice.about.units; ++unit) {
      if (choice.unit >= 0 && unit != choice.unit) continue;
      sums.resize(slice.rows * slice.columns);
      mean.rows = static_cast<int>(slice.rows);
      mean.columns = static_cast<int>(slice.columns);
      for (std::size_t row = 0; row < slice.rows; ++row) {
        const float* weights = slice.row(unit, row);
        for (std::size_t column = 0; column < slice.columns; ++column)
          sums[row * slice.columns + column] += static_cast<double>(weights[column]);
      }
      ++count;
    }
  }
  for (const double sum : sums) mean.values.push_back(static_cast<float>(sum / count));
  return mean;
}

std::vector<std::string> wholeWords(const std::vector<std::string>& tokens) {
  const auto labels = labelsOf(tokens);
  return joinedWords(labels, wordStarts(labels));
}

void requireSameWords(const std::vector<std::string>& a, const std::vector<std::string>& b) {
  const auto [inA, inB] = std::mismatch(a.begin(), a.end(), b.begin(), b.end());
  if (inA == a.end() && inB == b.end()) return;
  const auto wordAt = [](const std::vector<std::string>& words, auto place) {
    return place == words.end() ? std::string("the end") : "'" + *place + "'";
  };
  throw Error(
      "no difference: word {} is {} in one and {} in the other; choose a sentence that both have "
      "recorded with the same words",
      inA - a.begin() + 1, wordAt(a, inA), wordAt(b, inB));
}

// Whether every link is between words of the sentence.
bool fits(const SentenceAlignment& gold, const AttentionMap& words) {
  return std::ranges::all_of(gold.possible, [&](const AlignmentLink& link) {
    return link.target < words.weights.rows && link.source < words.weights.columns;
  });
}

void addFigures(const AttentionMap& words, AttentionFigures& figures) {
  for (int row = 0; row < words.weights.rows; ++row) {
    if (words.rows[static_cast<std::size_t>(row)] == kEnd) continue;
    double largest = std::numeric_limits<double>::quiet_NaN();
    for (int column = 0; column < words.weights.columns; ++column)
      largest = std::fmax(largest, static_cast<double>(words.weights.at(row, column)));
    figures.evenness.add(rowEvenness(words, row));
    figures.largest.add(largest);
  }
}

}  // namespace

std::string_view nameOf(AttentionKind kind) {
  switch (kind) {
    case AttentionKind::kEncoder:
      return "encoder";
    case AttentionKind::kHistory:
      return "history";
    case AttentionKind::kSource:
      break;
  }
  return "source";
}

std::optional<AttentionKind> attentionKindNamed(std::string_view name) {
  for (const AttentionKind kind : kAttentionKinds) {
    if (nameOf(kind) == name) return kind;
  }
  return std::nullopt;
}

std::vector<AttentionLayer> attentionLayers(const SentenceRecordings& sentence) {
  std::vector<AttentionLayer> layers;
  for (const Slice& slice : slicesOf(sentence)) {
    const auto known = std::ranges::find_if(layers, [&](const AttentionLayer& layer) {
      return layer.kind == slice.about.kind && layer.layer == slice.about.layer;
    });
    AttentionLayer& layer = known == layers.end() ? layers.emplace_back(slice.about) : *known;
    layer.units = std::max(layer.units, slice.firstUnit + slice.about.units);
  }
  std::ranges::sort(layers, {},
                    [](const AttentionLayer& layer) { return std::pair(layer.kind, layer.layer); });
  return layers;
}

bool hasAttention(const std::vector<RecordingInfo>& infos) {
  return std::ranges::any_of(infos,
                             [](const RecordingInfo& info) { return isAttentionKind(info.kind); });
}

AttentionMap attentionMap(const SentenceRecordings& sentence, const AttentionChoice& choice,
                          TextLevel level) {
  AttentionMap map;
  map.weights = meanOfSlices(slicesOf(sentence), choice);
  if (map.isEmpty()) return {};
  const auto source = labelsOf(sentence.source), generated = labelsOf(sentence.target);
  map.causal = choice.kind == AttentionKind::kHistory;
  map.rows = choice.kind == AttentionKind::kEncoder ? source : generated;
  map.columns = map.causal ? wordsReadIn(generated) : source;
  if (level == TextLevel::kWords) {
    const auto rows = wordStarts(map.rows), columns = wordStarts(map.columns);
    map.rows = joinedWords(map.rows, rows);
    map.columns = joinedWords(map.columns, columns);
    map.weights = mergedGrid(map.weights, rows, columns);
  }
  return map;
}

int readableColumns(const AttentionMap& map, int row) {
  if (!map.causal) return map.weights.columns;
  int last = std::min(row, map.weights.columns - 1);
  for (int column = last + 1; column < map.weights.columns; ++column) {
    if (map.weights.at(row, column) > 0) last = column;
  }
  return last + 1;
}

double rowEvenness(const AttentionMap& map, int row) {
  const int readable = readableColumns(map, row);
  const auto sum = static_cast<double>(rowSum(map.weights, row));
  if (readable < 2 || !(sum > 0)) return std::numeric_limits<double>::quiet_NaN();
  double entropy = 0;
  for (int column = 0; column < readable; ++column) {
    const double share = static_cast<double>(map.weights.at(row, column)) / sum;
    if (share > 0) entropy -= share * std::log(share);
  }
  return entropy / std::log(static_cast<double>(readable));
}

SentenceAlignment strongestLinks(const AttentionMap& words) {
  SentenceAlignment alignment;
  for (int row = 0; row < words.weights.rows; ++row) {
    if (words.rows[static_cast<std::size_t>(row)] == kEnd) continue;
    int best = 0;
    for (int column = 1; column < words.weights.columns; ++column) {
      if (words.weights.at(row, column) > words.weights.at(row, best)) best = column;
    }
    if (words.columns[static_cast<std::size_t>(best)] == kEnd || !(words.weights.at(row, best) > 0))
      continue;
    alignment.sure.push_back({best, row});
  }
  std::ranges::sort(alignment.sure);
  alignment.possible = alignment.sure;
  return alignment;
}

AttentionFigures attentionFigures(const RecordedStep& step, const AttentionChoice& choice) {
  AttentionFigures figures;
  for (const SentenceRecordings& sentence : step.sentences) {
    const AttentionMap words = attentionMap(sentence, choice, TextLevel::kWords);
    if (words.isEmpty()) continue;
    addFigures(words, figures);
    const auto gold = step.links.find(sentence.sentence);
    if (choice.kind != AttentionKind::kSource || gold == step.links.end() ||
        !fits(gold->second, words))
      continue;
    figures.alignment += compareAlignment(strongestLinks(words), gold->second);
    ++figures.alignedSentences;
  }
  return figures;
}

const SentenceRecordings* sameSentence(const SentenceRecordings& sentence,
                                       const std::vector<SentenceRecordings>& others) {
  const auto source = wholeWords(sentence.source), target = wholeWords(sentence.target);
  const SentenceRecordings* found = nullptr;
  bool sameSource = false;
  for (const SentenceRecordings& other : others) {
    const bool matches = wholeWords(other.source) == source;
    if (matches && wholeWords(other.target) == target) return &other;
    if ((matches && !sameSource) || (found == nullptr && other.sentence == sentence.sentence)) {
      found = &other;
      sameSource = matches;
    }
  }
  return found;
}

AttentionMap attentionDifference(const AttentionMap& a, const AttentionMap& b) {
  requireSameWords(a.columns, b.columns);
  requireSameWords(a.rows, b.rows);
  AttentionMap difference = b;
  for (std::size_t i = 0; i < difference.weights.values.size(); ++i)
    difference.weights.values[i] -= a.weights.values[i];
  return difference;
}

}  // namespace strata
