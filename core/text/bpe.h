#pragma once
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

namespace strata {

// How codes are applied. The result equals that of subword-nmt's `apply-bpe` with the corresponding
// flags.
struct BpeOptions {
  std::int64_t merges = -1;      // only the first this many merges of the codes; negative: all
  std::string separator = "@@";  // marks every unit of a word but its last
  std::vector<std::string>
      glossary;        // regular expressions (Python's syntax); a match becomes a separate unit
  double dropout = 0;  // [0, 1]: each possible merge is skipped with this probability at each pass
  std::uint64_t seed = 1;              // of dropout
  std::size_t cacheBytes = 64u << 20;  // size of the word cache, which is emptied when full
};

// Words of a "word<SPACE>count" file (as `text vocab` writes it) with at least `threshold`
// occurrences; 0: all. Errors name file and line; of a file that the user gives also a word that is
// there twice, and a vocabulary that would be empty.
std::unordered_set<std::string> readBpeVocabulary(const std::filesystem::path& path,
                                                  std::int64_t threshold);
std::unordered_set<std::string> parseBpeVocabulary(std::string_view text, std::string_view where,
                                                   std::int64_t threshold);

// The content of a codes file that the user gives, without a byte order mark, which is warned of. A
// vocabulary is an Error: its lines would count as merges.
std::string readBpeCodes(const std::filesystem::path& path);

// Byte pair encoding: splits words into units by codes in subword-nmt's format 0.1 or 0.2. Has a
// word cache, so an object must be used by one thread only.
class Bpe {
 public:
  // `codes` is the content of a codes file; `where` names it in errors, which give the line.
  Bpe(std::string_view codes, std::string_view where, BpeOptions options = {});
  static Bpe read(const std::filesystem::path& path, BpeOptions options = {});
  ~Bpe();
  Bpe(Bpe&&) noexcept;
  Bpe& operator=(Bpe&&) noexcept;

  // From now on units outside `vocabulary` (with the separator, if they have one) are split back,
  // merge by merge, until they are in the vocabulary or single characters. An empty vocabulary has
  // no effect.
  void setVocabulary(std::unordered_set<std::string> vocabulary);

  // Appends the line's units to `out`. Words are separated by U+0020; spaces and CR at both ends
  // are kept, repeated spaces between words become one. `line` is valid UTF-8 without the final
  // '\n'.
  void apply(std::string_view line, std::string& out);
  std::string apply(std::string_view line);

  // Units of one line joined back to words.
  static std::string join(std::string_view units, std::string_view separator = "@@");

 private:
  class Implementation;
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace strata
