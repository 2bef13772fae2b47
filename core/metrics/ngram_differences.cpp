#include "core/metrics/ngram_differences.h"

#include <algorithm>
#include <limits>
#include <unordered_map>

#include "core/base/error.h"
#include "core/base/utf8.h"
#include "core/metrics/metric.h"
#include "core/text/casing.h"
#include "core/text/words.h"

namespace strata {
namespace {

using Id = std::uint32_t;
constexpr Id kNone = std::numeric_limits<Id>::max();

void checkOptions(const NGramOptions& options) {
  if (options.lowest >= 1 && options.lowest <= options.highest && options.highest <= kMaxNGramOrder)
    return;
  throw usageError(
      "n-grams of {} to {} words cannot be counted; expected 1 <= lowest <= highest <= {}",
      options.lowest, options.highest, kMaxNGramOrder);
}

// Numbers for words. Views stay valid as long as the lines.
class WordNumbers {
 public:
  explicit WordNumbers(bool lowercase) : lowercase_(lowercase) {}

  void read(std::string_view line, std::vector<Id>& ids) {
    ids.clear();
    if (lowercase_) {
      if (const auto bad = firstInvalidUtf8(line)) {
        throw Error("byte {} of the line \"{}\" is not valid UTF-8: it cannot be lower-cased",
                    *bad + 1, line.substr(0, *bad));
      }
      strata::lowercase(line, lower_);
      forEachWord(lower_, [&](std::string_view word) { ids.push_back(ownedIdOf(word)); });
    } else {
      forEachWord(line, [&](std::string_view word) { ids.push_back(idOf(word)); });
    }
  }

  std::string_view text(Id id) const { return texts_[id]; }

 private:
  Id idOf(std::string_view word) {
    const auto [entry, added] = ids_.try_emplace(word, static_cast<Id>(texts_.size()));
    if (added) texts_.push_back(word);
    return entry->second;
  }
  Id ownedIdOf(std::string_view word) {
    const auto found = ids_.find(word);
    return found != ids_.end() ? found->second : idOf(owned_.emplace(word, 0).first->first);
  }

  bool lowercase_;
  std::string lower_;
  std::unordered_map<std::string_view, Id> ids_;
  std::unordered_map<std::string, char> owned_;  // node-based: its keys never move
  std::vector<std::string_view> texts_;
};

// n-grams as numbers, each identified by the n-gram without its last word and that word: so no two
// share a number, and the text of one is found by walking back.
class NGrams {
 public:
  struct Entry {
    Id prefix = kNone, word = 0;
    int order = 1;
  };

  NGrams() : slots_(std::size_t{1} << 12, Slot{}) {}

  // Appends the n-grams of a line, of all orders in the range.
  void read(const std::vector<Id>& words, const NGramOptions& options, std::vector<Id>& ids) {
    ids.clear();
    const auto highest = static_cast<std::size_t>(options.highest);
    const auto lowest = static_cast<std::size_t>(options.lowest);
    for (std::size_t begin = 0; begin < words.size(); ++begin) {
      Id id = kNone;
      const std::size_t most = std::min(highest, words.size() - begin);
      for (std::size_t n = 1; n <= most; ++n) {
        id = idOf(id, words[begin + n - 1], static_cast<int>(n));
        if (n >= lowest) ids.push_back(id);
      }
    }
  }

  std::size_t size() const { return entries_.size(); }
  int order(Id id) const { return entries_[id].order; }

  std::string text(Id id, const WordNumbers& words) const {
    std::vector<Id> path;
    for (; id != kNone; id = entries_[id].prefix) path.push_back(entries_[id].word);
    std::string text(words.text(path.back()));
    for (std::size_t i = path.size() - 1; i-- > 0;) text.append(" ").append(words.text(path[i]));
    return text;
  }

 private:
  struct Slot {
    std::uint64_t key = 0;
    Id id = kNone;
  };

  static std::uint64_t mixed(std::uint64_t key) {
    key = (key ^ (key >> 32)) * 0x9E3779B97F4A7C15u;
    return key ^ (key >> 29);
  }

  Id idOf(Id prefix, Id word, int order) {
    const std::uint64_t key = static_cast<std::uint64_t>(prefix) << 32 | word;
    std::size_t at = mixed(key) & (slots_.size() - 1);
    for (; slots_[at].id != kNone; at = (at + 1) & (slots_.size() - 1)) {
      if (slots_[at].key == key) return slots_[at].id;
    }
    const Id id = static_cast<Id>(entries_.size());
    if (id == kNone) throw Error("there are more n-grams than can be counted: compare fewer lines");
    slots_[at] = {key, id};
    entries_.push_back({prefix, word, order});
    if (entries_.size() * 2 > slots_.size()) grow();
    return id;
  }

  void grow() {
    std::vector<Slot> old(slots_.size() * 2);
    old.swap(slots_);
    for (const Slot& slot : old) {
      if (slot.id == kNone) continue;
      std::size_t at = mixed(slot.key) & (slots_.size() - 1);
      while (slots_[at].id != kNone) at = (at + 1) & (slots_.size() - 1);
      slots_[at] = slot;
    }
  }

  std::vector<Entry> entries_;
  std::vector<Slot> slots_;  // open addressing, size a power of two
};

struct Counts {
  std::int64_t confirmed = 0, over = 0, under = 0;
};
// Counts of one system, by the number of the n-gram; missing entries are zero.
using SystemCounts = std::vector<Counts>;

// Counts the n-grams of systems against references, sentence by sentence.
class Counter {
 public:
  Counter(const std::vector<std::vector<std::string>>& references, const NGramOptions& options)
      : references_(references), options_(options), words_(options.lowercase) {
    checkOptions(options);
    if (references.empty()) throw Error("there is no reference to compare with");
  }

  // `systems` must outlive the counter.
  std::vector<SystemCounts> count(const std::vector<std::span<const std::string>>& systems) {
    for (const auto& system : systems) {
      for (const auto& reference : references_) checkSameLines(system.size(), reference.size());
    }
    std::vector<SystemCounts> counts(systems.size());
    for (std::size_t i = 0; i < references_.front().size(); ++i) {
      readReferences(i);
      for (std::size_t s = 0; s < systems.size(); ++s) addSentence(systems[s][i], counts[s]);
      for (const Id id : referenceIds_) held_[id] = 0;
    }
    for (SystemCounts& system : counts) system.resize(ngrams_.size());
    return counts;
  }

  int order(Id id) const { return ngrams_.order(id); }
  std::string text(Id id) const { return ngrams_.text(id, words_); }

 private:
  void readLine(std::string_view line) {
    words_.read(line, lineWords_);
    ngrams_.read(lineWords_, options_, lineIds_);
    held_.resize(ngrams_.size());
    used_.resize(ngrams_.size());
  }

  // Leaves in held_ the maximum count of each n-gram over the references.
  void readReferences(std::size_t sentence) {
    referenceIds_.clear();
    for (const auto& reference : references_) {
      readLine(reference[sentence]);
      for (const Id id : lineIds_) {
        if (++used_[id] <= held_[id]) continue;
        if (held_[id]++ == 0) referenceIds_.push_back(id);
      }
      for (const Id id : lineIds_) used_[id] = 0;
    }
  }

  void addSentence(std::string_view hypothesis, SystemCounts& counts) {
    readLine(hypothesis);
    counts.resize(ngrams_.size());
    for (const Id id : lineIds_)
      ++(++used_[id] <= held_[id] ? counts[id].confirmed : counts[id].over);
    for (const Id id : referenceIds_) {
      if (used_[id] < held_[id]) counts[id].under += held_[id] - used_[id];
    }
    for (const Id id : lineIds_) used_[id] = 0;
  }

  const std::vector<std::vector<std::string>>& references_;
  NGramOptions options_;
  WordNumbers words_;
  NGrams ngrams_;
  // By the number of the n-gram, zero between sentences and lines.
  std::vector<std::uint32_t> held_, used_;
  std::vector<Id> referenceIds_;  // of the sentence, without duplicates
  std::vector<Id> lineWords_, lineIds_;
};

std::vector<NGramTotals> totalsOf(const Counter& counter, const SystemCounts& counts,
                                  const NGramOptions& options) {
  std::vector<NGramTotals> totals;
  for (int n = options.lowest; n <= options.highest; ++n) totals.push_back({.order = n});
  for (std::size_t i = 0; i < counts.size(); ++i) {
    const int order = counter.order(static_cast<Id>(i));
    if (order < options.lowest) continue;
    NGramTotals& total = totals[static_cast<std::size_t>(order - options.lowest)];
    total.confirmed += counts[i].confirmed;
    total.unconfirmed += counts[i].over;
  }
  return totals;
}

// An n-gram with its ranking criteria, higher is better for both.
struct Ranked {
  double score;
  std::int64_t count;
  Id id;
};

// The best of them. Texts are built only for those that can be among them: the first `most` and all
// ties with the last one.
std::vector<Ranked> best(std::vector<Ranked> all, const Counter& counter, std::size_t most) {
  const auto before = [](const Ranked& a, const Ranked& b) {
    return a.score != b.score ? a.score > b.score : a.count > b.count;
  };
  if (most == 0 || all.empty()) return {};
  if (most < all.size()) {
    std::nth_element(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(most - 1), all.end(),
                     before);
    const Ranked last = all[most - 1];
    std::erase_if(all, [&](const Ranked& entry) { return before(last, entry); });
  }
  std::unordered_map<Id, std::string> texts;
  for (const Ranked& entry : all) texts.emplace(entry.id, counter.text(entry.id));
  std::sort(all.begin(), all.end(), [&](const Ranked& a, const Ranked& b) {
    if (before(a, b) || before(b, a)) return before(a, b);
    return texts.at(a.id) < texts.at(b.id);
  });
  all.resize(std::min(most, all.size()));
  return all;
}

using Field = std::int64_t Counts::*;

struct Pair {
  const SystemCounts &first, &second;
};

// The n-grams that one system has more often.
std::vector<NGramDifference> differences(const Counter& counter, const Pair& pair, Field field,
                                         bool ofSecond, std::size_t most) {
  const SystemCounts& ours = ofSecond ? pair.second : pair.first;
  const SystemCounts& theirs = ofSecond ? pair.first : pair.second;
  std::vector<Ranked> more;
  for (std::size_t i = 0; i < ours.size(); ++i) {
    const std::int64_t a = ours[i].*field, b = theirs[i].*field;
    if (a <= b) continue;
    const double score = static_cast<double>(a + 1) / static_cast<double>(a + b + 2);
    more.push_back({score, a, static_cast<Id>(i)});
  }
  std::vector<NGramDifference> list;
  for (const Ranked& entry : best(std::move(more), counter, most)) {
    list.push_back({counter.text(entry.id), counter.order(entry.id), pair.first[entry.id].*field,
                    pair.second[entry.id].*field, entry.score});
  }
  return list;
}

std::vector<NGramProduction> productions(const Counter& counter, const SystemCounts& counts,
                                         Field field, std::size_t most) {
  std::vector<Ranked> some;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    const std::int64_t count = counts[i].*field;
    if (count > 0) some.push_back({static_cast<double>(count), count, static_cast<Id>(i)});
  }
  std::vector<NGramProduction> list;
  for (const Ranked& entry : best(std::move(some), counter, most)) {
    const Counts& all = counts[entry.id];
    list.push_back({counter.text(entry.id), counter.order(entry.id), all.confirmed + all.over,
                    all.confirmed + all.under, all.confirmed});
  }
  return list;
}

}  // namespace

NGramComparison compareNGrams(std::span<const std::string> first,
                              std::span<const std::string> second,
                              const std::vector<std::vector<std::string>>& references,
                              const NGramOptions& options) {
  Counter counter(references, options);
  const std::vector<SystemCounts> counts = counter.count({first, second});
  const Pair pair{counts[0], counts[1]};
  const auto list = [&](Field field, bool ofSecond) {
    return differences(counter, pair, field, ofSecond, options.most);
  };
  return {.first = totalsOf(counter, counts[0], options),
          .second = totalsOf(counter, counts[1], options),
          .firstConfirmed = list(&Counts::confirmed, false),
          .secondConfirmed = list(&Counts::confirmed, true),
          .firstUnconfirmed = list(&Counts::over, false),
          .secondUnconfirmed = list(&Counts::over, true)};
}

NGramProductions producedNGrams(std::span<const std::string> hypotheses,
                                const std::vector<std::vector<std::string>>& references,
                                const NGramOptions& options) {
  Counter counter(references, options);
  const std::vector<SystemCounts> counts = counter.count({hypotheses});
  return {.totals = totalsOf(counter, counts[0], options),
          .over = productions(counter, counts[0], &Counts::over, options.most),
          .under = productions(counter, counts[0], &Counts::under, options.most)};
}

std::vector<int> confirmedTokens(std::string_view hypothesis,
                                 std::span<const std::string> references,
                                 const NGramOptions& options) {
  checkOptions(options);
  WordNumbers words(options.lowercase);
  std::vector<Id> ours, theirs;
  words.read(hypothesis, ours);
  // Number of words up to each one, inclusive, that match a reference in this way.
  std::vector<int> longest(ours.size(), 0);
  for (const std::string& reference : references) {
    words.read(reference, theirs);
    std::vector<int> before(theirs.size() + 1, 0);  // common words up to (i - 1, j - 1)
    for (std::size_t i = 0; i < ours.size(); ++i) {
      for (std::size_t j = theirs.size();
           j-- > 0;) {  // backwards: before[j] is still that of i - 1
        before[j + 1] = ours[i] == theirs[j] ? before[j] + 1 : 0;
        longest[i] = std::max(longest[i], before[j + 1]);
      }
    }
  }
  std::vector<int> orders(ours.size(), 0);
  for (std::size_t i = 0; i < ours.size(); ++i) {
    const int order = std::min(longest[i], options.highest);
    if (order < options.lowest) continue;
    for (std::size_t k = i + 1 - static_cast<std::size_t>(order); k <= i; ++k)
      orders[k] = std::max(orders[k], order);
  }
  return orders;
}

}  // namespace strata
