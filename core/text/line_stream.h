#pragma once
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "core/base/open_file.h"

namespace strata {

// Reads a file or pipe line by line through one large buffer; only \n ends a line. Memory is
// proportional to the longest line.
class LineReader {
 public:
  // The caller keeps ownership of `fd`; `name` is the input's name in errors ("standard input", a
  // path).
  LineReader(int fd, std::string name);
  // Throws an Error if the file cannot be opened.
  explicit LineReader(const std::filesystem::path& path);

  // The next line without its \n; false at the end. The view is valid until the next call. A last
  // line without \n counts as a line. Throws an Error that names line and byte (line from 1, byte
  // from 0) if the line is not valid UTF-8.
  bool next(std::string_view& line);

  // Whether the line last read ended in \n.
  bool hadNewline() const { return hadNewline_; }
  // Number of the line last read, from 1.
  std::int64_t lineNumber() const { return lineNumber_; }
  const std::string& name() const { return name_; }

 private:
  bool fill();  // reads more after the unread bytes; false at the end of the input

  std::optional<OpenFile> file_;  // none: the caller owns fd_
  int fd_;
  std::string name_;
  std::string buffer_;
  std::size_t begin_ = 0;  // first unread byte
  std::size_t end_ = 0;    // end of what was read into buffer_
  bool atEnd_ = false;
  bool hadNewline_ = true;
  std::int64_t lineNumber_ = 0;
};

// Collects output and writes it to a file descriptor in large pieces.
class LineWriter {
 public:
  // The caller keeps ownership of `fd`; `name` is the output's name in errors.
  LineWriter(int fd, std::string name);
  // Creates or empties a file; throws an Error if that fails.
  explicit LineWriter(const std::filesystem::path& path);

  void add(std::string_view line) {
    buffer_.append(line).push_back('\n');
    flushIfLarge();
  }
  // Other callers append complete lines here and call `flushIfLarge` after each.
  std::string& buffer() { return buffer_; }
  void flushIfLarge() {
    if (buffer_.size() >= kFlushBytes) flush();
  }
  // Writes everything out; throws an Error that names the output. Must be called at the end.
  void flush();

 private:
  static constexpr std::size_t kFlushBytes = 1 << 18;
  std::optional<OpenFile> file_;  // none: the caller owns fd_
  int fd_;
  std::string name_;
  std::string buffer_;
};

}  // namespace strata
