#pragma once
#include <array>
#include <cstdint>
#include <filesystem>
#include <memory>

#include "core/base/progress.h"
#include "core/data/learn_stage.h"
#include "core/data/prepare.h"
#include "core/data/text_stage.h"
#include "core/data/units.h"
#include "core/text/bpe.h"

namespace strata {

// What the mapped corpus of a split has. Sides are 0 (source) and 1 (target).
struct SplitFacts {
  std::int64_t pairs = 0;
  std::array<std::int64_t, 2> tokens{}, unknown{};  // without </s>

  bool lacksWords() const { return unknown[0] + unknown[1] > 0; }
};

// The last part of preparing a dataset: from tokens to mapped corpora. What it is made of must
// outlive it.
class MapStage {
 public:
  MapStage(const PrepareOptions& options, const LearnStage& learn, std::filesystem::path folder);

  // Both write a file NAME.corpus to the folder.
  SplitFacts mapTrain(const TrainText& train, Progress& progress) const;
  SplitFacts mapSet(const SetText& set) const;

 private:
  UnitSplitter splitter(int side) const;

  const PrepareOptions& options_;
  const LearnStage& learn_;
  std::filesystem::path folder_;
  std::array<std::unique_ptr<Bpe>, 2> bpe_;
};

}  // namespace strata
