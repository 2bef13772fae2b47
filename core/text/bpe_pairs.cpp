#include "core/text/bpe_pairs.h"

#include <algorithm>
#include <utility>

#include "core/text/bpe_codes.h"

namespace strata {
namespace {

constexpr std::int64_t kSetAsideEvery = 100;  // merges

std::uint64_t keyOf(std::int32_t left, std::int32_t right) {
  return static_cast<std::uint64_t>(left) << 32 | static_cast<std::uint32_t>(right);
}
std::size_t hashOf(std::uint64_t key) {
  return static_cast<std::size_t>(key * 0x9E3779B97F4A7C15u >> 24);
}

}  // namespace

BpePairs::BpePairs(const WordCounter& words) : keys_(1 << 16), table_(1 << 16, -1) {
  readWords(words);
  countPairs();
  wordChanges_.assign(words_.size(), 0);
  wordSeen_.assign(words_.size(), 0);
  std::int64_t most = 0;
  for (const PairState& pair : pairs_) most = std::max(most, pair.count);
  threshold_ = static_cast<double>(most) / 10;
}

void BpePairs::readWords(const WordCounter& words) {
  std::vector<char> isInternal, isFinal;  // by symbol
  for (const WordCounter::Entry& entry : words.entries()) {
    const std::string_view word = entry.word;
    const auto begin = static_cast<std::uint32_t>(symbols_.size());
    for (std::size_t i = 0; i < word.size();) {
      std::size_t end = i + 1;
      while (end < word.size() && (static_cast<unsigned char>(word[end]) & 0xC0) == 0x80) ++end;
      const bool final = end == word.size();
      std::string character(word.substr(i, end - i));
      if (final) character += kWordEnd;
      const Symbol symbol = intern(std::move(character));
      isInternal.resize(texts_.size());
      isFinal.resize(texts_.size());
      (final ? isFinal : isInternal)[static_cast<std::size_t>(symbol)] = 1;
      symbols_.push_back(symbol);
      i = end;
    }
    words_.push_back({begin, static_cast<std::uint32_t>(symbols_.size()) - begin, entry.count});
  }
  internalCharacters_ = std::count(isInternal.begin(), isInternal.end(), 1);
  finalCharacters_ = std::count(isFinal.begin(), isFinal.end(), 1);
}

void BpePairs::countPairs() {
  for (std::size_t j = 0; j < words_.size(); ++j) {
    const Word& word = words_[j];
    for (std::uint32_t i = word.begin; i + 1 < word.begin + word.size; ++i) {
      change(symbols_[i], symbols_[i + 1], static_cast<std::int32_t>(j), 1);
    }
  }
  for (std::size_t i = 0; i < pairs_.size(); ++i) {
    pairs_[i].big = pairs_[i].count;
    pairs_[i].raised = false;
    push({pairs_[i].count, static_cast<Pair>(i)});
  }
  raised_.clear();
}

std::optional<BpePairs::Pair> BpePairs::best(std::int64_t step) {
  std::optional<Pair> pair = highest();
  if (step > 0 && (!pair || static_cast<double>(count(*pair)) < threshold_)) {
    // A pruned pair may be more frequent: go back to the full table.
    setAside(threshold_);
    listAll();
    pair = highest();
    if (!pair) return pair;
    threshold_ = static_cast<double>(count(*pair) * step) / (static_cast<double>(step) + 10000.0);
    setAside(threshold_);
  }
  return pair;
}

void BpePairs::merge(Pair pair, std::int64_t step) {
  collectWords(pair);
  state(pair).count = 0;
  state(pair).occurrences.clear();
  const Symbol merged = intern(left(pair) + right(pair));
  for (const std::int32_t word : touched_) mergeInWord(pair, merged, word);
  state(pair).count = 0;
  for (const Pair raised : raised_) {
    state(raised).raised = false;
    if (state(raised).count > 0) push({state(raised).count, raised});
  }
  raised_.clear();
  if (step % kSetAsideEvery == 0) setAside(threshold_);
}

// Fills touched_ with the words in which the pair occurs, apart from overlaps.
void BpePairs::collectWords(Pair pair) {
  touched_.clear();
  for (const Occurrence& occurrence : state(pair).occurrences) {
    const auto word = static_cast<std::size_t>(occurrence.word);
    wordChanges_[word] += occurrence.change;
    if (wordSeen_[word] == 0) {
      wordSeen_[word] = 1;
      touched_.push_back(occurrence.word);
    }
  }
  std::erase_if(touched_, [&](std::int32_t word) {
    const auto at = static_cast<std::size_t>(word);
    wordSeen_[at] = 0;
    return std::exchange(wordChanges_[at], 0) < 1;
  });
}

void BpePairs::mergeInWord(Pair pair, Symbol merged, std::int32_t j) {
  Word& word = words_[static_cast<std::size_t>(j)];
  const Symbol left = state(pair).left, right = state(pair).right;
  Symbol* symbols = symbols_.data() + word.begin;
  old_.assign(symbols, symbols + word.size);
  std::uint32_t kept = 0;
  for (std::uint32_t i = 0; i < word.size; ++i, ++kept) {
    if (i + 1 < word.size && old_[i] == left && old_[i + 1] == right) {
      symbols[kept] = merged;
      ++i;
    } else {
      symbols[kept] = old_[i];
    }
  }
  word.size = kept;
  uncountOld(left, right, j);
  countNew(merged, j);
}

// Subtracts the pairs that overlapped the merged one.
void BpePairs::uncountOld(Symbol left, Symbol right, std::int32_t word) {
  const std::size_t size = old_.size();
  for (std::size_t i = 0; i + 1 < size; ++i) {
    if (old_[i] != left || old_[i + 1] != right) continue;
    if (i > 0) change(old_[i - 1], old_[i], word, -1);
    // If the same pair follows directly, the pair between the two is subtracted with that one.
    const bool followed = i + 3 < size && old_[i + 2] == left && old_[i + 3] == right;
    if (i + 2 < size && !followed) change(old_[i + 1], old_[i + 2], word, -1);
    ++i;
  }
}

// Adds the pairs around each symbol equal to the merge's result.
void BpePairs::countNew(Symbol merged, std::int32_t j) {
  const Word& word = words_[static_cast<std::size_t>(j)];
  const std::size_t begin = word.begin, end = begin + word.size;
  for (std::size_t i = begin; i < end; ++i) {
    if (symbols_[i] != merged) continue;
    if (i > begin) change(symbols_[i - 1], merged, j, 1);
    if (i + 1 < end && symbols_[i + 1] != merged) change(merged, symbols_[i + 1], j, 1);
  }
}

void BpePairs::change(Symbol left, Symbol right, std::int32_t word, std::int32_t sign) {
  const Pair id = pairOf(left, right);
  PairState& pair = state(id);
  if (!pair.listed) {
    pair.listed = true;
    pair.count = 0;
    listed_.push_back(id);
  }
  pair.count += sign * words_[static_cast<std::size_t>(word)].count;
  if (!pair.occurrences.empty() && pair.occurrences.back().word == word) {
    pair.occurrences.back().change += sign;
  } else {
    pair.occurrences.push_back({word, sign});
  }
  if (sign > 0 && !pair.raised) {
    pair.raised = true;
    raised_.push_back(id);
  }
}

BpePairs::Symbol BpePairs::intern(std::string text) {
  const auto [place, isNew] =
      symbolIds_.emplace(std::move(text), static_cast<Symbol>(texts_.size()));
  if (isNew) texts_.push_back(place->first);
  return place->second;
}

BpePairs::Pair BpePairs::pairOf(Symbol left, Symbol right) {
  const std::uint64_t key = keyOf(left, right);
  std::size_t slot = hashOf(key) & (table_.size() - 1);
  for (; table_[slot] >= 0; slot = (slot + 1) & (table_.size() - 1)) {
    if (keys_[slot] == key) return table_[slot];
  }
  const auto pair = static_cast<Pair>(pairs_.size());
  PairState& added = pairs_.emplace_back();
  added.left = left;
  added.right = right;
  keys_[slot] = key;
  table_[slot] = pair;
  if (pairs_.size() * 2 > table_.size()) growTable();
  return pair;
}

void BpePairs::growTable() {
  const std::size_t size = table_.size() * 2;
  keys_.assign(size, 0);
  table_.assign(size, -1);
  for (std::size_t i = 0; i < pairs_.size(); ++i) {
    const std::uint64_t key = keyOf(pairs_[i].left, pairs_[i].right);
    std::size_t slot = hashOf(key) & (size - 1);
    while (table_[slot] >= 0) slot = (slot + 1) & (size - 1);
    keys_[slot] = key;
    table_[slot] = static_cast<Pair>(i);
  }
}

bool BpePairs::before(const Candidate& a, const Candidate& b) const {
  if (a.count != b.count) return a.count < b.count;
  const PairState& first = pairs_[static_cast<std::size_t>(a.pair)];
  const PairState& second = pairs_[static_cast<std::size_t>(b.pair)];
  if (first.left != second.left) return text(first.left) < text(second.left);
  return first.right != second.right && text(first.right) < text(second.right);
}

void BpePairs::push(Candidate candidate) {
  heap_.push_back(candidate);
  std::push_heap(heap_.begin(), heap_.end(),
                 [this](const auto& a, const auto& b) { return before(a, b); });
}

BpePairs::Candidate BpePairs::pop() {
  std::pop_heap(heap_.begin(), heap_.end(),
                [this](const auto& a, const auto& b) { return before(a, b); });
  const Candidate top = heap_.back();
  heap_.pop_back();
  return top;
}

std::optional<BpePairs::Pair> BpePairs::highest() {
  while (!heap_.empty()) {
    const Candidate top = pop();
    const PairState& pair = state(top.pair);
    if (!pair.listed || pair.count <= 0) continue;
    if (pair.count == top.count) return top.pair;
    if (pair.count < top.count) push({pair.count, top.pair});
  }
  return std::nullopt;
}

// Prunes the listed pairs below the threshold.
void BpePairs::setAside(double threshold) {
  std::size_t kept = 0;
  for (const Pair id : listed_) {
    PairState& pair = state(id);
    if (static_cast<double>(pair.count) >= threshold) {
      listed_[kept++] = id;
      continue;
    }
    pair.listed = false;
    // A negative count is the loss since the last pruning.
    pair.big = pair.count < 0 ? pair.big + pair.count : pair.count;
  }
  listed_.resize(kept);
}

// Lists every pair with its count in the full table.
void BpePairs::listAll() {
  listed_.clear();
  heap_.clear();
  for (std::size_t i = 0; i < pairs_.size(); ++i) {
    pairs_[i].listed = true;
    pairs_[i].count = pairs_[i].big;
    listed_.push_back(static_cast<Pair>(i));
    if (pairs_[i].count > 0) heap_.push_back({pairs_[i].count, static_cast<Pair>(i)});
  }
  std::make_heap(heap_.begin(), heap_.end(),
                 [this](const auto& a, const auto& b) { return before(a, b); });
}

}  // namespace strata
