#pragma once
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/open_file.h"
#include "core/text/word_counter.h"

namespace strata {

// One side of a text, kept in a file as the numbers of its words: passes over it neither split nor
// hash text again. Words are counted, and numbered from 0 in the order of their first appearance.
// Memory grows only with the number of different words. Used by one thread at a time.
//
// The file holds uint32s, per line: the checksum of its text (two, the low half first), the number
// of its words, their numbers. It is for this process only and is not made durable.
class NumberedText {
 public:
  explicit NumberedText(const std::filesystem::path& path);  // creates or empties the file

  void add(std::string_view line);  // words with one space between them
  void finish();                    // after the last line, before reading

  const WordCounter& words() const { return words_; }  // word n is entries()[n]
  const std::filesystem::path& path() const { return file_->path(); }

 private:
  void flush();

  std::unique_ptr<OpenFile> file_;
  std::vector<std::uint32_t> buffer_;  // not yet written
  WordCounter words_;
};

// Reads a finished NumberedText, which must outlive it, line by line.
class NumberedReader {
 public:
  explicit NumberedReader(const NumberedText& text);

  bool next();  // false at the end
  // Of the line that next() read; valid until its next call.
  std::uint64_t checksum() const { return checksum_; }  // checksum64 of its text
  std::span<const std::uint32_t> numbers() const { return numbers_; }
  void appendText(std::string& out) const;

 private:
  bool fill(std::size_t count);  // makes so many unread numbers available; false at the end

  const NumberedText& text_;
  OpenFile file_;
  std::uint64_t offset_ = 0;           // in the file, of what has not been read
  std::vector<std::uint32_t> buffer_;  // numbers from begin_ are unread
  std::size_t begin_ = 0;
  std::uint64_t checksum_ = 0;
  std::span<const std::uint32_t> numbers_;
};

}  // namespace strata
