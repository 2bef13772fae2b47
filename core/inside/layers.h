// What the layers of a model are and know: the similarity of the levels of its stacks, and its
// output layer applied to every level of its decoder (docs/inside.md, "Similarity of layers" and
// "Lens"), as they are stored in a run's folder, printed, and drawn.
#pragma once
#include <array>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/json.h"
#include "core/inside/measured_on.h"
#include "core/report/table.h"

namespace strata {

// "embedding", "layer 3" or "fused", of "decoder.levels.3".
std::string levelTitle(std::string_view name);

// Linear CKA of the levels of one side.
struct LevelSimilarity {
  std::string side = {};                  // "encoder" or "decoder"
  std::vector<std::string> levels = {};   // titles
  std::vector<std::int64_t> widths = {};  // of the levels
  std::int64_t positions = 0;
  std::vector<double> cka = {};     // levels x levels, 0 .. 1; NaN: a level is constant
  std::vector<double> cosine = {};  // of each level and the next; NaN: the widths differ

  double at(std::size_t one, std::size_t other) const { return cka[one * levels.size() + other]; }
};
// CKA is too high if there are few positions: says so below ten per feature; empty: there are
// enough.
std::string fewPositions(const LevelSimilarity& similarity);

enum class LensMeasure { kRank, kProbability, kDivergence };
inline constexpr std::array kLensMeasures{LensMeasure::kRank, LensMeasure::kProbability,
                                          LensMeasure::kDivergence};
std::string_view nameOf(LensMeasure measure);  // "rank", "probability", "divergence"

// Means over all tokens of the references at one level.
struct LensMean {
  double rank = 0;            // of the reference's token, from 1
  double first = 0;           // the share with rank 1
  double logProbability = 0;  // natural
  double divergence = 0;      // KL(model || level), nats

  // Of the curve over levels: the geometric mean of the probability.
  double of(LensMeasure measure) const;
};

// A level and a token of one sentence.
struct LensCell {
  std::int64_t rank = 1;
  double logProbability = 0, divergence = 0;
  std::string top = {};  // the level's most probable token

  double of(LensMeasure measure) const;
};
struct LensSentence {
  std::int64_t sentence = -1;                     // of the set, from 0; -1: a text of its own
  std::string text = {};                          // the source as the dataset has it
  std::vector<std::string> target = {};           // tokens of the reference, </s> included
  std::vector<std::vector<LensCell>> cells = {};  // [level][token]
};

struct Lens {
  std::vector<std::string> levels = {};  // titles of those that the output layer reads
  std::vector<std::string> unread = {};  // and of the others
  std::int64_t tokens = 0;
  std::vector<LensMean> means = {};          // one per level
  std::vector<LensSentence> sentences = {};  // the set's first ones
};
inline constexpr std::int64_t kLensSentences = 100;  // stored in full

struct LayersReport {
  MeasuredOn on = {};
  std::string run = {};                          // its name
  std::vector<LevelSimilarity> similarity = {};  // one per side
  Lens lens = {};
};

Json toJson(const LensSentence& sentence);
Json toJson(const LayersReport& report);
// Throws nlohmann's exceptions if something is missing or has another type.
LayersReport layersReportFrom(const Json& json);

// RUN/layers/CHECKPOINT.SET.SENTENCES.json, replaced atomically.
std::filesystem::path layersFile(const std::filesystem::path& runFolder, const MeasuredOn& on);
void storeLayers(const std::filesystem::path& runFolder, const LayersReport& report);
// All that are stored; damaged files count as none. Ordered by file name.
std::vector<LayersReport> storedLayers(const std::filesystem::path& runFolder);

// "RUN, CHECKPOINT, SET: ...": what the figures are of.
std::string captionOf(const LayersReport& report);
// CKA of every pair of levels, and the cosine to the next level.
Table similarityTable(const LevelSimilarity& similarity);
// Means by level.
Table lensTable(const LayersReport& report);
// A row per token of the reference: at each level the token's rank and what the level says instead.
Table lensTable(const LensSentence& sentence, const std::vector<std::string>& levels);

}  // namespace strata
