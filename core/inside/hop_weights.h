#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "core/inside/mean_value.h"
#include "core/inside/recorded_step.h"
#include "core/run/recording.h"

namespace strata {

// The hop weights of one side ("encoder" or "decoder") of a sentence, [positions, hops, levels];
// null if the sentence has none.
const Recording* hopWeightsOf(const SentenceRecordings& sentence, const std::string& side);
bool isHopWeights(const RecordingInfo& info);

// What a map shows of a level: the weight a, or its share of what is read, a ||z|| / sum a ||z||.
enum class HopMeasure { kWeight, kContribution };

// Mean hop weights of one side at one step, over all positions of all sentences (inside.md 2).
struct HopMeans {
  std::int64_t step = 0;
  int levels = 0, hops = 0;    // 0 if no sentence has any
  int firstLevel = 0;          // as RecordingInfo::firstLevel
  std::vector<float> weights;  // levels x hops, row-major; each column sums to 1
  // One per hop: mean entropy over positions divided by ln(levels), 0 (one level) .. 1 (uniform).
  std::vector<float> entropy;
  // What each level adds to what a hop reads: the mean over positions of a ||z|| / sum a ||z|| over
  // the levels, as `weights`; empty if the norms of the levels have not been recorded.
  std::vector<float> contributions;
  // hops x hops: 1 - the Jensen-Shannon divergence (base 2) of two hops' weights, mean over
  // positions: 1 if both read the same levels, 0 if they have none in common.
  std::vector<float> similarity;

  bool has(HopMeasure measure) const;
  // Of a level on one hop, or the mean over the hops if `hop` is negative. The measure is there.
  double value(int level, int hop, HopMeasure measure = HopMeasure::kWeight) const;
};
// Throws Error if the norms do not fit the weights.
HopMeans hopMeans(const std::vector<SentenceRecordings>& sentences, const std::string& side);

// How the weight of a level differs between positions: quantiles, interpolated between the values.
struct WeightSpread {
  double low = 0, lowerQuartile = 0, median = 0, upperQuartile = 0, high = 0;  // 5 %, …, 95 %
};
// One per level, of one hop or of the mean of all hops if `hop` is negative. Weights that are not
// finite do not count; a level without any other has NaN.
std::vector<WeightSpread> hopSpread(const std::vector<SentenceRecordings>& sentences,
                                    const std::string& side, int hop);

// Labels of the columns of a side's maps: the source word on the encoder's side, "read → generated"
// on the decoder's, where the first word read is the start symbol, </s>.
std::vector<std::string> hopColumns(const SentenceRecordings& sentence, const std::string& side);

// "embedding", "layer 1", ... from the first level upwards; `first`: RecordingInfo::firstLevel.
std::vector<std::string> levelNames(int levels, int first);
std::vector<std::string> levelNames(const Recording& hopWeights);

// One map per hop, levels x positions from the first level upwards, row-major; none if the sentence
// has no hop weights, or none of the levels' norms for contributions. Columns correspond to
// hopColumns().
std::vector<std::vector<float>> hopMaps(const SentenceRecordings& sentence, const std::string& side,
                                        HopMeasure measure = HopMeasure::kWeight);

// Mean weights of one side by the class of the word read, whose subwords' rows are averaged: the
// encoder's position i reads source word i. The start symbol and </s> have no class. Recordings
// with other sizes than the first are left out.
struct HopClassMeans {
  int levels = 0, hops = 0, firstLevel = 0;
  std::vector<std::vector<std::vector<MeanValue>>> means;  // [hop][place in kWordClasses][level]
};
void addHopClasses(const RecordedStep& step, const std::string& side, HopClassMeans& classes);

}  // namespace strata
