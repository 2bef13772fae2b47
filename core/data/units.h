#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/string_map.h"
#include "core/data/batch.h"
#include "core/text/bpe.h"
#include "core/text/vocabulary.h"
#include "core/text/word_counter.h"

namespace strata {

// Splits words into units and looks up their ids.
class UnitSplitter {
 public:
  // `bpe` may be null: words are the units. `vocabulary` may be null: only the number of units is
  // needed.
  UnitSplitter(Bpe* bpe, const Vocabulary* vocabulary) : bpe_(bpe), vocabulary_(vocabulary) {}
  void append(std::string_view word, std::vector<TokenId>& ids);

 private:
  Bpe* bpe_;
  const Vocabulary* vocabulary_;
  std::string units_;
};

// Where the ids of a word are in a list of ids.
struct UnitRange {
  std::uint32_t begin = 0, size = 0;
};

// Ids of tokens. Words repeat, so each is split and looked up once and cached (up to a limit); the
// result equals that of TextPipeline.
class UnitEncoder {
 public:
  explicit UnitEncoder(UnitSplitter splitter) : splitter_(std::move(splitter)) {}
  // The ids of a line of tokens; valid until the next call.
  std::span<const TokenId> encode(std::string_view tokens);

 private:
  UnitRange lookUp(std::string_view word);

  UnitSplitter splitter_;
  StringMap<UnitRange> words_;
  std::vector<TokenId> ids_, line_;
};

// The same for a NumberedText, from a table of all its words. A const object may be used by many
// threads.
class UnitTable {
 public:
  UnitTable(const WordCounter& words, UnitSplitter splitter);
  // Appends the ids of a line.
  void append(std::span<const std::uint32_t> numbers, std::vector<TokenId>& ids) const;
  std::int64_t units(std::span<const std::uint32_t> numbers) const;  // how many ids these are

 private:
  std::vector<UnitRange> words_;  // by number
  std::vector<TokenId> ids_;
};

}  // namespace strata
