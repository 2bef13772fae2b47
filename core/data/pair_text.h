#pragma once
#include <string>
#include <string_view>

#include "core/data/clean.h"
#include "core/data/prepare.h"
#include "core/text/pipeline.h"

namespace strata {

// The steps of a side's text that are not learned: tokenizer and lower-casing.
PipelineSide normalSide(const PrepareOptions& options, int side);

// Makes tokens of the user's text, and decides which pairs of train are kept.
class PairText {
 public:
  explicit PairText(const PrepareOptions& options);

  std::string tokens(int side, std::string_view raw);
  // The next pair of train. Its tokens are source() and target() until the next call.
  CleanVerdict read(std::string_view rawSource, std::string_view rawTarget);
  const std::string& source() const { return source_; }
  const std::string& target() const { return target_; }
  const CleanCounts& counts() const { return cleaner_.counts(); }

 private:
  TextPipeline normal_;
  Cleaner cleaner_;
  std::string source_, target_;
};

}  // namespace strata
