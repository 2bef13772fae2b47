#pragma once
#include <cstdint>
#include <vector>

#include "core/decode/scorer.h"
#include "core/nn/readers.h"

namespace strata {

// What a reader makes of one block, over all positions that are not padding (inside.md 5).
struct BlockFigures {
  double weight = 0;  // ||W_b||_F / sqrt(entries)
  double input = 0;   // RMS of x_b
  double read = 0;    // RMS of W_b x_b
};

struct MeasuredReaders {
  std::vector<std::vector<BlockFigures>> figures;  // by reader and block
  // Of each block the sum of (W_b x_b)^2 over a pair's positions and all features, by pair.
  std::vector<std::vector<std::vector<double>>> squares;
  std::int64_t sourcePositions = 0, targetPositions = 0;  // </s> included
};
// Measures the readers of `model` in teacher forcing. The model is in evaluation mode afterwards.
MeasuredReaders measureReaders(TranslationModel& model, const std::vector<Reader>& readers,
                               const ScoredPairs& pairs, const ScoreOptions& options = {});

}  // namespace strata
