#pragma once
#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/progress.h"
#include "core/base/string_map.h"

namespace strata {

// Sentence pairs as word numbers, each side's counted from 0 in order of appearance.
class WordPairs {
 public:
  void add(std::string_view source, std::string_view target);

  std::int64_t size() const { return static_cast<std::int64_t>(sides_[0].ends.size()); }
  std::span<const std::int32_t> source(std::int64_t pair) const { return sides_[0].of(pair); }
  std::span<const std::int32_t> target(std::int64_t pair) const { return sides_[1].of(pair); }
  const std::vector<std::string>& sourceWords() const { return sides_[0].words; }
  const std::vector<std::string>& targetWords() const { return sides_[1].words; }

 private:
  struct SideWords {
    void add(std::string_view line);
    std::span<const std::int32_t> of(std::int64_t pair) const;

    std::vector<std::string> words;
    StringMap<std::int32_t> numbers;
    std::vector<std::int32_t> text;
    std::vector<std::size_t> ends;  // of each sentence, in text
  };
  std::array<SideWords, 2> sides_;
};

// IBM Model 1 (Brown et al., Computational Linguistics 1993) in both directions at once, each with
// an empty word, from uniform probabilities. Memory grows with the number of different word pairs
// that co-occur in a sentence pair.
class IbmModel1 {
 public:
  static constexpr std::int32_t kEmpty = -1;

  explicit IbmModel1(const WordPairs& pairs);
  IbmModel1(WordPairs&&) = delete;  // the pairs are kept by reference

  // One iteration of expectation maximisation; `progress` receives the number of pairs done.
  void iterate(Progress& progress = noProgress());

  // p(target | source) and p(source | target); either condition may be kEmpty. 0 for words that
  // never co-occur.
  double targetGivenSource(std::int32_t target, std::int32_t source) const;
  double sourceGivenTarget(std::int32_t source, std::int32_t target) const;

  // The links of a pair found in both directions, each linking every word to its most likely
  // partner (ties: the first; none if the empty word is more likely than all).
  struct Link {
    std::int32_t source, target;  // positions in the pair
    std::size_t entry;            // index of the two words' entry
    bool operator==(const Link&) const = default;
  };
  std::vector<Link> links(std::int64_t pair) const;

  // Co-occurring words have consecutive entries, by the source word's number, then by the target
  // word's.
  std::size_t entries() const { return targets_.size(); }
  std::size_t firstOf(std::int32_t source) const { return rows_[static_cast<std::size_t>(source)]; }
  std::size_t endOf(std::int32_t source) const {
    return rows_[static_cast<std::size_t>(source) + 1];
  }
  std::int32_t targetOf(std::size_t entry) const { return targets_[entry]; }

 private:
  // Entries are numbered as above; `words` are those that are generated.
  struct Direction {
    Direction(std::size_t entries, std::size_t words)
        : probability(entries, 1),
          count(entries, 0),
          emptyProbability(words, 1),
          emptyCount(words, 0) {}
    template <typename EntryAt>
    void share(std::int32_t word, std::size_t causes, EntryAt entryAt);
    template <typename EntryAt>
    std::size_t likeliest(std::int32_t word, std::size_t causes, EntryAt entryAt) const;
    void normaliseEmpty();
    double of(std::size_t entry) const { return static_cast<double>(probability[entry]); }

    std::vector<float> probability;                    // of each entry
    std::vector<double> count;                         // expected, of the current iteration
    std::vector<double> emptyProbability, emptyCount;  // of each word that is generated
  };
  void findEntries();
  std::size_t entryOf(std::int32_t source, std::int32_t target) const;
  std::span<const std::size_t> entriesOf(std::int64_t pair) const;
  void normalise();

  const WordPairs& pairs_;
  std::vector<std::size_t> rows_;  // where each source word's entries begin; one extra at the end
  std::vector<std::int32_t> targets_;  // ascending within a row
  Direction toTarget_{0, 0}, toSource_{0, 0};
  mutable std::vector<std::size_t> matrix_;  // of one pair: [source positions, target positions]
};

}  // namespace strata
