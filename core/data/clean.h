#pragma once
#include <array>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

namespace strata {

// Flags of Moses's `clean-corpus-n.perl`; the result is the same.
struct CleanOptions {
  std::int64_t minimum = 1, maximum = 50;  // words per side
  double ratio =
      9;  // a pair is dropped if one side has more than this many times the other's words
  bool ignoreRatio = false;
  bool ignoreXml = false;  // tags do not count as words
  bool lowercase = false;
  std::int64_t maxWordLength = 1000;                         // code points of a word (or factor)
  std::string sourceName = "source", targetName = "target";  // named in errors
};

// The result for a pair, in the order of the checks.
enum class CleanVerdict { kKept, kEmpty, kTooLong, kTooShort, kRatio, kLongWord };
constexpr std::size_t kCleanVerdicts = 6;
std::string_view nameOf(CleanVerdict verdict);  // "kept", "empty", "too long", ...

struct CleanCounts {
  std::array<std::int64_t, kCleanVerdicts> byVerdict{};
  std::int64_t of(CleanVerdict verdict) const {
    return byVerdict[static_cast<std::size_t>(verdict)];
  }
  std::int64_t kept() const { return of(CleanVerdict::kKept); }
  std::int64_t total() const;
};

// What cleaning finds of one pair.
struct CleanFinding {
  CleanVerdict verdict = CleanVerdict::kKept;
  // The pair would be kept, but a factor of this side is blank: 0 source, 1 target, -1 neither.
  int blankFactor = -1;
};

// Checks pairs one after another; the first pair decides whether '|' separates factors or is
// deleted.
class Cleaner {
 public:
  explicit Cleaner(CleanOptions options);

  // Normalises both lines in place (white space, bars, case) and returns whether the pair is kept.
  // Lines are valid UTF-8 without '\n'. Throws on a blank factor, naming the line.
  CleanVerdict clean(std::string& source, std::string& target);

  // The same in three steps, of which many threads may take the second for different pairs: look at
  // the first pair as it was read; check every pair; count the findings in the order of the pairs.
  void lookAtFirst(std::string_view source, std::string_view target);
  CleanFinding check(std::string& source, std::string& target) const;
  void count(const CleanFinding& finding, const std::string& source, const std::string& target);

  const CleanCounts& counts() const { return counts_; }

 private:
  CleanVerdict judge(const std::string& source, const std::string& target) const;

  CleanOptions options_;
  CleanCounts counts_;
  bool factored_ = false;
};

// Cleans two files line by line. Output paths may be empty; outputs appear completely or not at
// all. `kept` receives the 1-based number of each kept pair. Files with different numbers of lines
// are an Error that names both with their counts.
struct CleanFiles {
  std::filesystem::path source, target, outputSource, outputTarget;
};
CleanCounts cleanFiles(const CleanFiles& files, CleanOptions options,
                       const std::function<void(std::int64_t)>& kept);

}  // namespace strata
