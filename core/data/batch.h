#pragma once
#include <cstdint>
#include <vector>

namespace strata {

using TokenId = std::int32_t;

// models.md 0.1
constexpr TokenId kStartId = 0;  // reserved: never produced, never fed
constexpr TokenId kPadId = 1;
constexpr TokenId kEndId = 2;  // also the decoder's first input
constexpr TokenId kUnknownId = 3;
constexpr TokenId kFirstWordId = 4;

// A sentence of words, ended by </s>.
inline std::vector<TokenId> withEnd(std::vector<TokenId> words) {
  words.push_back(kEndId);
  return words;
}

// The smallest multiple that is at least `length`.
constexpr std::int64_t paddedLength(std::int64_t length, std::int64_t multiple) {
  return (length + multiple - 1) / multiple * multiple;
}

// A rectangle of token ids, one sentence per row, padded on the right with kPadId.
struct TokenMatrix {
  std::int64_t rows = 0, columns = 0;
  std::vector<std::int64_t> ids;      // rows x columns
  std::vector<std::int64_t> lengths;  // true length of each row, </s> included

  std::int64_t tokens() const;  // sum of the lengths
  // Rows and columns for `lengths`, filled with padding; as many columns as a multiple of
  // `lengthMultiple`.
  void layOut(std::int64_t lengthMultiple = 1);
};

// Turns sentences into a rectangle unchanged (append </s> first if it is needed).
TokenMatrix padded(const std::vector<std::vector<TokenId>>& sentences);

// One training or scoring batch. Source = words + </s>; targetOut = words + </s>; targetIn = </s> +
// words.
struct Batch {
  TokenMatrix source, targetIn, targetOut;
  std::vector<std::int64_t> sentences;  // index of each row's pair in its corpus

  std::int64_t targetTokens() const { return targetOut.tokens(); }
};

}  // namespace strata
