#pragma once
#include <array>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "core/text/line_stream.h"

namespace strata {

// A text file that is written line by line; the caller moves it to its final place.
class TextFileWriter {
 public:
  explicit TextFileWriter(const std::filesystem::path& path);
  ~TextFileWriter();
  TextFileWriter(const TextFileWriter&) = delete;
  TextFileWriter& operator=(const TextFileWriter&) = delete;
  void add(std::string_view line);
  void finish();  // writes the rest; must be called

 private:
  int fd_;
  std::unique_ptr<LineWriter> lines_;
};

// A text file written by this program, read line by line.
class TextFileReader {
 public:
  explicit TextFileReader(const std::filesystem::path& path);
  ~TextFileReader();
  TextFileReader(const TextFileReader&) = delete;
  TextFileReader& operator=(const TextFileReader&) = delete;
  bool next(std::string_view& line) { return lines_->next(line); }

 private:
  int fd_;
  std::unique_ptr<LineReader> lines_;
};

// The files of both sides, read together; they have equally many lines.
class PairFileReader {
 public:
  PairFileReader(const std::filesystem::path& source, const std::filesystem::path& target)
      : files_{TextFileReader(source), TextFileReader(target)} {}
  bool next() { return files_[0].next(lines_[0]) && files_[1].next(lines_[1]); }
  std::string_view source() const { return lines_[0]; }
  std::string_view target() const { return lines_[1]; }
  std::string_view line(int side) const { return lines_[static_cast<std::size_t>(side)]; }

 private:
  std::array<TextFileReader, 2> files_;
  std::array<std::string_view, 2> lines_;
};

}  // namespace strata
