#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace strata {

constexpr int kMaxNGramOrder = 20;

// Words are separated by U+0020.
struct NGramOptions {
  int lowest = 1, highest = 4;  // 1 .. kMaxNGramOrder
  std::size_t most = 20;        // n-grams per list
  bool lowercase = false;       // all lines must be valid UTF-8 then
};

// Totals over all n-grams of one order. An n-gram of a hypothesis is confirmed up to its maximum
// count in a reference of its sentence (BLEU's clipping), and unconfirmed beyond it.
struct NGramTotals {
  int order = 0;
  std::int64_t confirmed = 0, unconfirmed = 0;
};

// One n-gram in two systems, counted over all sentences.
struct NGramDifference {
  std::string text;  // words joined by one space
  int order = 0;
  std::int64_t first = 0, second = 0;  // of the two systems
  // (a + 1) / (a + b + 2) with a of the list's system, b of the other; above 1/2.
  double score = 0;
};

// The ranking of Neubig et al., compare-mt: A Tool for Holistic Comparison of Language Generation
// Systems, NAACL 2019: highest score first; ties by frequency in the list's system, then by bytes.
// An n-gram that both systems have equally often is in no list.
struct NGramComparison {
  std::vector<NGramTotals> first, second;  // one per order, lowest first
  std::vector<NGramDifference> firstConfirmed, secondConfirmed;
  std::vector<NGramDifference> firstUnconfirmed, secondUnconfirmed;
};

// references[r][i] is the r-th reference of sentence i; at least one, each with as many lines as a
// system.
NGramComparison compareNGrams(std::span<const std::string> first,
                              std::span<const std::string> second,
                              const std::vector<std::vector<std::string>>& references,
                              const NGramOptions& options = {});

// One n-gram of a system against the references. The count of a sentence's references is the
// maximum over them.
struct NGramProduction {
  std::string text;
  int order = 0;
  std::int64_t hypothesis = 0;  // = confirmed + over-produced
  std::int64_t reference = 0;   // = confirmed + under-produced
  std::int64_t confirmed = 0;
};

// The greatest excess first; ties by bytes.
struct NGramProductions {
  std::vector<NGramTotals> totals;
  std::vector<NGramProduction> over, under;
};
NGramProductions producedNGrams(std::span<const std::string> hypotheses,
                                const std::vector<std::vector<std::string>>& references,
                                const NGramOptions& options = {});

// For each word of the hypothesis the longest order, at most `highest`, of an n-gram around it that
// also occurs in a reference, even if fewer times; 0: none of `lowest` words or more.
std::vector<int> confirmedTokens(std::string_view hypothesis,
                                 std::span<const std::string> references,
                                 const NGramOptions& options = {});

}  // namespace strata
