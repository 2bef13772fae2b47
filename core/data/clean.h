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

// Checks pairs one after another; the first pair decides whether '|' separates factors or is
// deleted.
class Cleaner {
 public:
  explicit Cleaner(CleanOptions options);

  // Normalises both lines in place (white space, bars, case) and returns whether the pair is kept.
  // Lines are valid UTF-8 without '\n'. Throws on a blank factor, naming the line.
  CleanVerdict clean(std::string& source, std::string& target);
  const CleanCounts& counts() const { return counts_; }

 private:
  CleanVerdict judge(const std::string& source, const std::string& target);
  void refuseBlankFactor(const std::string& line, const std::string& name) const;

  CleanOptions options_;
  CleanCounts counts_;
  bool factored_ = false;
  std::string scratch_;
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
