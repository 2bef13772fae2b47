#pragma once
#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/json.h"
#include "core/data/overlap.h"
#include "core/text/word_counter.h"

namespace strata {

struct TextPair {
  std::string source = {}, target = {};
  std::int64_t number = 0;  // in the training text, from 1
};

struct GrowthPoint {
  std::int64_t tokens = 0, types = 0;  // different words among the first `tokens` words
};

// Words of one side of the training text, separated by spaces: after the tokenizer, before BPE.
struct SideFigures {
  std::int64_t tokens = 0, types = 0;
  double mean = 0;                                // words per sentence; 0: no sentence
  std::int64_t median = 0, p95 = 0, longest = 0;  // words; half, 95 % and all are at most so long
  std::vector<GrowthPoint> growth;  // evenly spaced, at most 101; the last is the whole
};

// Sentences by their number of words, in bins of equal width: `counts[i]` those with i * width to
// (i + 1) * width - 1 words, per side; the last bin holds all longer ones too.
struct LengthBins {
  std::int64_t width = 1;
  std::vector<std::array<std::int64_t, 2>> counts;

  std::string label(std::size_t bin) const;  // "5-9", "40+"
};

// How many of the words of a set are among the most frequent words of the training text.
struct Coverage {
  std::string set;
  int side = 0;             // 0: source; 1: the references
  std::int64_t tokens = 0;  // running words of the set
  struct Point {
    std::int64_t words = 0;  // size of the vocabulary
    double share = 0;        // of the running words, 0 .. 1
  };
  std::vector<Point> points;  // doubling sizes; the last is all words of the training text
};

struct RatioOutlier : TextPair {
  double ratio = 1;  // words of the longer side over words of the shorter side
};

// A sentence of an evaluation set that a training pair repeats.
struct SharedSentence {
  std::string set;
  std::int64_t sentence = 0;            // in the set, from 1
  bool source = false, target = false;  // which side is the same
  std::string setSource, setReference;
  TextPair train;
};

// What is worth knowing about a parallel text before and after it is prepared.
struct TextFigures {
  std::int64_t pairs = 0;
  std::array<SideFigures, 2> sides;
  LengthBins lengths;
  std::vector<Coverage> coverage;
  double outlierRatio = 0;
  std::int64_t outlierPairs = 0;       // with a ratio above outlierRatio
  std::vector<RatioOutlier> outliers;  // the largest ratios first
  std::vector<OverlapCounts> overlap;
  std::int64_t sharedPairs = 0;        // training pairs that share a sentence with a set
  std::vector<SharedSentence> shared;  // the first ones

  Json json() const;
};

struct TextFiguresOptions {
  std::size_t outliers = 30, shared = 200;  // how many are listed
  double outlierRatio = 3;
};

// Collects the figures while a training text is streamed once. Sets come first. Memory grows with
// the vocabularies and the evaluation sets.
class TextFiguresBuilder {
 public:
  explicit TextFiguresBuilder(TextFiguresOptions options = {}) : options_(options) {}

  std::size_t addSet(const std::string& name);
  void addSentence(std::size_t set, const std::string& source,
                   const std::vector<std::string>& references);
  void addJoined(const std::string& name, const std::vector<std::string>& sets);
  bool hasSet(const std::string& name) const;
  void addPair(const TextPair& pair);

  TextFigures finish();
  // Words of a set's source (side 0) or references; empty if there is no such set.
  WordCounter setWords(const std::string& name, int side) const;

 private:
  struct Sentence {
    std::string source;
    std::vector<std::string> references;
  };
  struct Set {
    std::string name;
    std::vector<Sentence> sentences;
  };
  struct Side {
    WordCounter words;
    std::map<std::int64_t, std::int64_t> lengths;  // words -> sentences
    std::vector<GrowthPoint> growth;
    std::int64_t stride = 1;
  };

  std::int64_t addLine(Side& side, std::string_view line);
  void noteShared(const TextPair& pair);
  void noteRatio(const TextPair& pair, std::int64_t source, std::int64_t target);
  SideFigures figuresOf(const Side& side) const;
  LengthBins bins() const;
  Coverage coverageOf(const Set& set, int side) const;

  TextFiguresOptions options_;
  std::vector<Set> sets_;
  OverlapIndex overlap_;
  std::array<Side, 2> sides_;
  TextFigures figures_;
};

}  // namespace strata
