#pragma once
#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "core/base/progress.h"
#include "core/data/prepare.h"
#include "core/text/bpe.h"
#include "core/text/pipeline.h"
#include "core/text/word_counter.h"

namespace strata {

class TextStage;

// The second part of preparing a dataset: BPE codes and vocabularies from train's words. Leaves out
// the pairs of train that have too many units.
class LearnStage {
 public:
  LearnStage(const PrepareOptions& options, TextStage& text, Progress& progress);

  void run();
  const PipelineSide& side(int side) const { return sides_[static_cast<std::size_t>(side)]; }
  PipelineSide takeSide(int side) { return std::move(sides_[static_cast<std::size_t>(side)]); }
  std::int64_t mergesLearned() const { return merges_; }
  std::int64_t tooManyUnits() const { return tooManyUnits_; }

  // BPE of a side according to its options; null without codes.
  std::unique_ptr<Bpe> makeBpe(int side) const;

 private:
  void findCodes();
  void holdToVocabulary(int side);
  void dropLong();
  void makeVocabulary(int side);
  WordCounter units(int side) const;

  const PrepareOptions& options_;
  TextStage& text_;
  Progress& progress_;
  std::array<PipelineSide, 2> sides_;
  std::int64_t merges_ = 0, tooManyUnits_ = 0;
};

}  // namespace strata
