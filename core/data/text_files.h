#pragma once
#include <array>
#include <filesystem>
#include <string_view>

#include "core/text/line_stream.h"

namespace strata {

// The text files of both sides as this program writes them, read together; they have equally many
// lines.
class PairFileReader {
 public:
  PairFileReader(const std::filesystem::path& source, const std::filesystem::path& target)
      : files_{LineReader(source), LineReader(target)} {}
  bool next() { return files_[0].next(lines_[0]) && files_[1].next(lines_[1]); }
  std::string_view source() const { return lines_[0]; }
  std::string_view target() const { return lines_[1]; }
  std::string_view line(int side) const { return lines_[static_cast<std::size_t>(side)]; }

 private:
  std::array<LineReader, 2> files_;
  std::array<std::string_view, 2> lines_;
};

}  // namespace strata
