#include "core/data/units.h"

#include "core/text/words.h"

namespace strata {
namespace {

constexpr std::size_t kRememberedWords = 1 << 20;

UnitRange appendWord(std::string_view word, UnitSplitter& splitter, std::vector<TokenId>& ids) {
  const auto begin = static_cast<std::uint32_t>(ids.size());
  splitter.append(word, ids);
  return {.begin = begin, .size = static_cast<std::uint32_t>(ids.size()) - begin};
}

void appendRange(const std::vector<TokenId>& ids, UnitRange range, std::vector<TokenId>& out) {
  for (std::uint32_t i = 0; i < range.size; ++i) out.push_back(ids[range.begin + i]);
}

}  // namespace

void UnitSplitter::append(std::string_view word, std::vector<TokenId>& ids) {
  units_.clear();
  if (bpe_ != nullptr) {
    bpe_->apply(word, units_);
  } else {
    units_ = word;
  }
  forEachWord(units_, [&](std::string_view unit) {
    ids.push_back(vocabulary_ != nullptr ? vocabulary_->idOf(unit) : kUnknownId);
  });
}

UnitRange UnitEncoder::lookUp(std::string_view word) {
  if (const auto known = words_.find(word); known != words_.end()) return known->second;
  if (words_.size() >= kRememberedWords) {
    words_.clear();
    ids_.clear();
  }
  const UnitRange range = appendWord(word, splitter_, ids_);
  words_.emplace(word, range);
  return range;
}

std::span<const TokenId> UnitEncoder::encode(std::string_view tokens) {
  line_.clear();
  forEachWord(tokens, [&](std::string_view word) { appendRange(ids_, lookUp(word), line_); });
  return line_;
}

UnitTable::UnitTable(const WordCounter& words, UnitSplitter splitter) {
  words_.reserve(words.entries().size());
  for (const auto& entry : words.entries())
    words_.push_back(appendWord(entry.word, splitter, ids_));
}

void UnitTable::append(std::span<const std::uint32_t> numbers, std::vector<TokenId>& ids) const {
  for (const std::uint32_t number : numbers) appendRange(ids_, words_[number], ids);
}

std::int64_t UnitTable::units(std::span<const std::uint32_t> numbers) const {
  std::int64_t units = 0;
  for (const std::uint32_t number : numbers) units += words_[number].size;
  return units;
}

}  // namespace strata
