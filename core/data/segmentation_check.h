#pragma once
#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/text/pipeline.h"

namespace strata {

// Finds text that is written without spaces (Chinese, Japanese, Thai, ...) and has not been split
// into words: what the letters are and how many words ICU finds in a word decide, not the
// language's code. Text that was split by another tool, or into characters, is left alone.
class SegmentationCheck {
 public:
  SegmentationCheck(const PipelineSide& source, const PipelineSide& target);

  // The tokens of the next line of a split ("train" or a set's name). Of long texts a sample is
  // looked at.
  void add(const std::string& split, int side, std::string_view tokens);

  // What is wrong and what to do, one per side.
  std::vector<std::string> warnings() const;

 private:
  struct Counts {
    std::int64_t lines = 0;
    std::int64_t letters = 0, unspaced = 0;  // of the lines looked at
    std::int64_t words = 0;                  // with letters of scripts without spaces
    std::int64_t found = 0;                  // how many words ICU finds in these

    bool isUnsegmented() const;
  };
  std::string warning(int side) const;

  std::array<std::string, 2> languages_, tokenizers_;
  std::array<std::map<std::string, Counts>, 2> sides_;  // by split
};

}  // namespace strata
