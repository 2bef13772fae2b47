#pragma once
#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/metrics/prepared_references.h"

namespace strata {

struct LineWords;

enum class BleuTokenizer { k13a, kInternational, kCharacter, kChinese, kNone };
enum class BleuSmoothing { kExponential, kFloor, kAddK, kNone };

constexpr int kMaxBleuOrder = 10;

// sacreBLEU's options with its defaults.
struct BleuOptions {
  BleuTokenizer tokenizer = BleuTokenizer::k13a;
  bool lowercase = false;
  BleuSmoothing smoothing = BleuSmoothing::kExponential;
  std::optional<double> smoothValue = {};  // of kFloor (0.1 otherwise) and kAddK (1 otherwise)
  int order = 4;                           // 1 .. kMaxBleuOrder
  bool effectiveOrder =
      false;  // for single sentences: ignores orders that the hypothesis is too short for
};

// A sentence's contribution to a corpus score. Statistics are additive, so the score of any subset,
// bucket or resample is a sum and a few logarithms.
struct BleuStats {
  std::int64_t hypothesisLength = 0,
               referenceLength = 0;  // tokens; the closest reference, ties: the shorter one
  std::array<std::int64_t, kMaxBleuOrder> correct{}, total{};

  BleuStats& operator+=(const BleuStats& other);
  bool operator==(const BleuStats&) const = default;
};
BleuStats sum(std::span<const BleuStats> sentences);

struct BleuScore {
  double score = 0;                    // 0 .. 100
  std::vector<double> precisions;      // per cent, one per order
  std::vector<double> counts, totals;  // doubles because kAddK adds to them
  double brevityPenalty = 1;
  std::int64_t systemLength = 0, referenceLength = 0;
};
BleuScore bleu(const BleuStats& stats, const BleuOptions& options);

// Moses's multi-bleu.perl: the text is assumed to be tokenised, words are split at ASCII white
// space, no smoothing.
struct MultiBleuOptions {
  bool lowercase = false;  // ASCII letters only
  // First, on both sides, as the English-German papers' scorer does: "a-b" becomes
  // "a ##AT##-##AT## b"; a character belongs to one hyphen only.
  bool splitHyphens = false;
};
// As computed by multi-bleu.perl. Throws an Error if no hypothesis has a word: the score is
// undefined.
BleuScore multiBleu(const BleuStats& stats);
// The line that multi-bleu.perl prints, without its newline.
std::string multiBleuLine(const BleuScore& score);

// References prepared once and compared with any number of systems. Thread-safe for reading.
class BleuReferences {
 public:
  // references[r][i] is the r-th reference of sentence i; at least one, all of the same length.
  BleuReferences(const std::vector<std::vector<std::string>>& references,
                 const BleuOptions& options);
  BleuReferences(const std::vector<std::vector<std::string>>& references,
                 const MultiBleuOptions& options);

  std::size_t sentences() const { return references_.sentences(); }
  std::size_t references() const { return references_.perSentence(); }

  BleuStats compare(std::size_t sentence, std::string_view hypothesis) const;
  // One entry per sentence; as many hypotheses as references.
  std::vector<BleuStats> compare(std::span<const std::string> hypotheses) const;

 private:
  using WordHashes =
      std::vector<std::uint64_t>;  // 64 bits, so that collisions are practically impossible

  PreparedReferences<WordHashes> prepared(
      const std::vector<std::vector<std::string>>& references) const;
  void hashWords(std::string_view line, WordHashes& words) const;

  std::size_t order_;
  std::function<void(std::string_view line, LineWords& words)> split_;
  PreparedReferences<WordHashes> references_;
};

// sacreBLEU's signature of these options with our version:
// "nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|version:strata-0.1.0".
std::string bleuSignature(const BleuOptions& options, std::size_t references);

// Convenience functions for a full corpus; references as above. Unequal line counts are Errors that
// give both.
BleuScore corpusBleu(std::span<const std::string> hypotheses,
                     const std::vector<std::vector<std::string>>& references,
                     const BleuOptions& options = {});
BleuScore corpusMultiBleu(std::span<const std::string> hypotheses,
                          const std::vector<std::vector<std::string>>& references,
                          const MultiBleuOptions& options = {});

// "13a", "intl", "char", "zh", "none" and "exp", "floor", "add-k", "none"; other names are usage
// errors.
BleuTokenizer bleuTokenizerNamed(std::string_view name);
BleuSmoothing bleuSmoothingNamed(std::string_view name);
std::string_view nameOf(BleuTokenizer tokenizer);
std::string_view nameOf(BleuSmoothing smoothing);

}  // namespace strata
