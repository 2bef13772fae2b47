#pragma once
#include <compare>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace strata {

// Two words of a sentence pair that are translations of each other, each side counted from 0.
struct AlignmentLink {
  std::int32_t source = 0, target = 0;
  auto operator<=>(const AlignmentLink&) const = default;
};

// The links of a sentence pair: sets, in ascending order.
struct SentenceAlignment {
  std::vector<AlignmentLink> sure;
  std::vector<AlignmentLink> possible;  // includes the sure ones, so: all links
  bool operator==(const SentenceAlignment&) const = default;
};

struct Alignments {
  std::vector<SentenceAlignment> sentences;
  // One for each link outside its sentence pair, which is kept, and one for a byte order mark,
  // which is dropped. With file, line and token.
  std::vector<std::string> warnings;
};

// Line n is sentence pair n, except in kNaacl; words of a line are separated by white space.
enum class AlignmentFormat {
  kPharaoh,  // "0-0 1-2": source-target, from 0; all links are sure
  kMixed,    // the same with "1?2", or as TALP writes "1p2" or "1P2", for links that are possible
             // only; TALP's "1s2" and "1S2" are sure
  kNaacl     // one link per line: "sentence source target S" or "... P", from 1; S if omitted
};

// Words of each sentence pair.
struct AlignmentLengths {
  std::vector<std::int32_t> source, target;
};
// Of tokenised lines, whose words are separated by U+0020. Unequal line counts are Errors.
AlignmentLengths alignmentLengths(std::span<const std::string> source,
                                  std::span<const std::string> target);

struct AlignmentReading {
  AlignmentFormat format = AlignmentFormat::kPharaoh;
  // Links are checked against them; the file must have as many sentence pairs.
  std::optional<AlignmentLengths> lengths = {};
  // For a kNaacl file, whose last pairs may have no link; 0: as many as in `lengths`, or else up to
  // the last pair with a link.
  std::size_t sentences = 0;
  // Words of kPharaoh and kMixed count from 1. A 0 is then an Error.
  bool fromOne = false;
};

// A repeated link counts once; one that is both sure and possible is sure. A token that is not a
// link of the format is an Error that gives `where`, line and token.
Alignments parseAlignments(std::string_view text, std::string_view where,
                           const AlignmentReading& reading = {});
Alignments readAlignments(const std::filesystem::path& path, const AlignmentReading& reading = {});
// Whether there are links and no word of them is the first one by counting from 0: words may have
// been counted from 1 (AlignmentReading::fromOne).
bool seemsToCountFromOne(const Alignments& alignments);
// From sure links and possible links in separate files, all of them read as sure.
Alignments goldAlignments(const Alignments& sure, const Alignments& possible);

// The contribution of a sentence pair to a corpus score.
struct AlignmentCounts {
  std::int64_t links = 0;             // |A|, of the hypothesis
  std::int64_t sure = 0;              // |S|
  std::int64_t possible = 0;          // |P|, the sure ones included
  std::int64_t linksAndSure = 0;      // |A n S|
  std::int64_t linksAndPossible = 0;  // |A n P|

  AlignmentCounts& operator+=(const AlignmentCounts& other);
  bool operator==(const AlignmentCounts&) const = default;
};
AlignmentCounts sum(std::span<const AlignmentCounts> sentences);

// A is all links of the hypothesis, sure or possible.
AlignmentCounts compareAlignment(const SentenceAlignment& hypothesis,
                                 const SentenceAlignment& gold);
// One entry per sentence pair; as many hypotheses as gold alignments, or an Error.
std::vector<AlignmentCounts> compareAlignments(const Alignments& hypotheses,
                                               const Alignments& gold);

// Och and Ney, A Systematic Comparison of Various Statistical Alignment Models, Computational
// Linguistics 29 (2003), section 5; each 0 .. 1. Counts of a corpus are summed first.
double precision(const AlignmentCounts& counts);  // |A n P| / |A|; 0 without hypothesis links
double recall(const AlignmentCounts& counts);     // |A n S| / |S|; 0 without sure links
double f1(const AlignmentCounts& counts);         // harmonic mean of both; 0 if both are 0
// 1 - (|A n S| + |A n P|) / (|A| + |S|), lower is better; 1 without hypothesis links.
double aer(const AlignmentCounts& counts);

}  // namespace strata
