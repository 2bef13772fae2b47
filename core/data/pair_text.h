#pragma once
#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "core/data/clean.h"
#include "core/data/prepare.h"
#include "core/data/segmentation_check.h"
#include "core/text/pipeline.h"

namespace strata {

// Throws a usage error if the options contradict each other about these steps.
void checkTextSteps(const PrepareOptions& options);

// The steps of a side's text that are not learned: tokenizer and lower-casing.
PipelineSide normalSide(const PrepareOptions& options, int side);

// Copies of lines, one after another in memory.
class LineBlock {
 public:
  void add(std::string_view line) {
    text_ += line;
    ends_.push_back(text_.size());
  }
  void clear() {
    text_.clear();
    ends_.clear();
  }
  std::size_t size() const { return ends_.size(); }
  std::size_t bytes() const { return text_.size(); }
  std::string_view operator[](std::size_t line) const {
    const std::size_t begin = line == 0 ? 0 : ends_[line - 1];
    return std::string_view(text_).substr(begin, ends_[line] - begin);
  }

 private:
  std::string text_;
  std::vector<std::size_t> ends_;
};

// Consecutive pairs of train, which are processed together. Sides are 0 (source) and 1 (target).
struct PairBlock {
  std::array<LineBlock, 2> raw;
  // Per pair, filled by PairText::read().
  std::array<std::vector<std::string>, 2> tokens;
  std::vector<CleanFinding> findings;

  std::size_t size() const { return raw[0].size(); }
  bool isFull() const;  // more pairs would take more memory than they save time
  void clear();
};

// Makes tokens of the user's text, and decides which pairs of train are kept.
class PairText {
 public:
  explicit PairText(const PrepareOptions& options);

  std::string tokens(int side, std::string_view raw) const;
  // The same for the next line of an evaluation set.
  std::string setTokens(const std::string& set, int side, std::string_view raw);
  // The next pair of train. Its tokens are source() and target() until the next call.
  CleanVerdict read(std::string_view rawSource, std::string_view rawTarget);
  const std::string& source() const { return source_; }
  const std::string& target() const { return target_; }

  // The next pairs of train, by several threads. Then count() each of them in order, which returns
  // whether it is kept.
  void read(PairBlock& block);
  CleanVerdict count(const PairBlock& block, std::size_t pair);

  const CleanCounts& counts() const { return cleaner_.counts(); }
  // What the user should know of the text that has been read.
  std::vector<std::string> warnings() const { return check_.warnings(); }

 private:
  void lookAtFirst(std::string source, std::string target);
  CleanVerdict count(const CleanFinding& finding, const std::string& source,
                     const std::string& target);
  CleanFinding check(std::string& source, std::string& target) const;

  TextPipeline normal_;
  SegmentationCheck check_;
  Cleaner cleaner_;
  int threads_;
  std::string source_, target_;
};

}  // namespace strata
