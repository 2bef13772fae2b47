#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace strata {

// A line of an n-best list: ID ||| TEXT ||| fields ||| SCORE. The fields are features (NAME= VALUE,
// NAME=VALUE, NAME: VALUE, or numbers alone) and alignments; Moses may add some after the score.
// The text may contain ||| as well, which no tool escapes, so fields are counted from the end.
struct NbestLine {
  std::int32_t id = 0;
  double score = 0;
  std::vector<std::string> fields = {};  // those after the id, without spaces at their ends
  // How many of them follow the text, score included: what no text looks like, and with the fields
  // before it that a text could look like (numbers alone).
  std::size_t least = 1, most = 1;

  std::string text(std::size_t following) const;
};
std::optional<NbestLine> parseNbestLine(std::string_view line);

// How many fields follow the text in most of the lines. A line's text ends before so many of its
// fields, or before its `most` if these are fewer.
std::size_t usualFollowing(const std::vector<NbestLine>& lines);

}  // namespace strata
