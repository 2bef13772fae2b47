#pragma once
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "core/base/open_file.h"

namespace strata {

// Cuts bytes that arrive in pieces into lines through one large buffer; only \n ends a line. Memory
// is proportional to the longest line.
class LineCutter {
 public:
  // Fills a buffer with at most that many bytes and returns how many; 0 at the end.
  using Read = std::function<std::size_t(char* buffer, std::size_t size)>;

  // `name` is the input's name in errors. A line of more than `longest` bytes is an Error.
  LineCutter(std::string name, Read read, std::size_t longest = std::string::npos);

  // The next line without its \n; false at the end. The view is valid until the next call. A last
  // line without \n counts as a line.
  bool next(std::string_view& line);
  // The unread bytes: at least `bytes`, or all up to the end of the input.
  std::string_view peek(std::size_t bytes);
  void skip(std::size_t bytes) { begin_ += bytes; }  // of those that peek() returned

  // Whether the line last read ended in \n.
  bool hadNewline() const { return hadNewline_; }
  // Number of the line last read, from 1.
  std::int64_t lineNumber() const { return lineNumber_; }
  const std::string& name() const { return name_; }

 private:
  bool fill();  // reads more after the unread bytes; false at the end of the input
  std::string_view unread() const { return {buffer_.data() + begin_, end_ - begin_}; }

  std::string name_;
  Read read_;
  std::size_t longest_;
  std::string buffer_;
  std::size_t begin_ = 0;  // first unread byte
  std::size_t end_ = 0;    // end of what was read into buffer_
  bool atEnd_ = false;
  bool hadNewline_ = true;
  std::int64_t lineNumber_ = 0;
};

// Reads a file or pipe line by line.
class LineReader : public LineCutter {
 public:
  // The caller keeps ownership of `fd`; `name` is the input's name in errors ("standard input", a
  // path).
  LineReader(int fd, std::string name);
  // Throws an Error if the file cannot be opened.
  explicit LineReader(const std::filesystem::path& path);

  // Throws an Error that names line and byte (line from 1, byte from 0) if the line is not valid
  // UTF-8.
  bool next(std::string_view& line);

 private:
  std::optional<OpenFile> file_;  // none: the caller owns fd_
  int fd_;
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
