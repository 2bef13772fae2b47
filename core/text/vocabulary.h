#pragma once
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/string_map.h"

namespace strata {

// The words of one side with their ids. Ids 0..3 are <s>, <pad>, </s>, <unk>; real words start at
// 4, the most frequent first, ties in order of first appearance. Words keep their bytes: no Unicode
// normalisation. Text never yields a control id: "<s>", "<pad>" or "</s>" in a text is an ordinary
// word (unknown unless added), and "<unk>" is the unknown word.
class Vocabulary {
 public:
  Vocabulary();  // only the four special tokens

  // One "word<SPACE>count" per line, as `text vocab` writes it, without special tokens. Errors name
  // file and line (a word that is there twice, no or a negative count, invalid UTF-8, BPE codes). A
  // file without words is an Error; a byte order mark and control tokens in it are warned of.
  static Vocabulary read(const std::filesystem::path& path);
  static Vocabulary parse(std::string_view text, std::string_view where);
  std::string toText() const;
  void write(const std::filesystem::path& path) const;  // atomic

  // Appends a word, which must not exist yet.
  std::int32_t add(std::string word, std::int64_t count);

  std::int32_t idOf(std::string_view word) const;    // the id of <unk> if absent
  const std::string& wordOf(std::int32_t id) const;  // throws on an id outside [0, size)
  std::vector<std::string> wordsOf(const std::vector<std::int32_t>& ids) const;
  std::int64_t countOf(std::int32_t id) const;
  std::int64_t size() const {
    return static_cast<std::int64_t>(words_.size());
  }  // special tokens included

  // Whether both map every word to the same id; counts do not matter.
  bool sameWords(const Vocabulary& other) const { return words_ == other.words_; }

  // Ids of a line's words (split at U+0020), without </s>.
  std::vector<std::int32_t> encode(std::string_view line) const;
  // Words of ids joined by one space, special tokens except <unk> omitted.
  std::string decode(const std::vector<std::int32_t>& ids) const;

 private:
  std::vector<std::string> words_;
  std::vector<std::int64_t> counts_;
  StringMap<std::int32_t> ids_;
};

}  // namespace strata
