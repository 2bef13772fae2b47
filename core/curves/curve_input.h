#pragma once
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "core/curves/tool_run.h"

namespace strata {

// A file read from the first byte to the last, one that gzip has compressed as what it contains.
// Memory does not depend on its size. Throws Cancelled when the stop is requested.
class CurveInput {
 public:
  // `before`: bytes of earlier files, for the progress. Throws an Error that names the file if it
  // is no regular file or cannot be read.
  explicit CurveInput(const std::filesystem::path& file, const ReadOptions& options = {},
                      std::uint64_t before = 0);
  ~CurveInput();
  CurveInput(const CurveInput&) = delete;
  CurveInput& operator=(const CurveInput&) = delete;

  // Up to `bytes` bytes; fewer only at the end.
  std::string_view read(std::size_t bytes);
  // Appends up to `bytes` bytes; false: fewer were left.
  bool read(std::size_t bytes, std::string& out);
  // The next line without its end; false at the end of the file. A longer line than the limit is
  // cut.
  bool nextLine(std::string& line);

  const std::filesystem::path& file() const { return file_; }
  std::uint64_t offset() const { return offset_; }  // of the content, after what was read
  std::uint64_t fileBytes() const { return fileBytes_; }
  // The compressed data end early or are damaged: what was read before that counts.
  bool isDamaged() const { return damaged_; }

 private:
  void fill();

  struct Close {
    void operator()(void* stream) const;
  };
  std::filesystem::path file_;
  ReadOptions options_;
  std::uint64_t before_;
  std::uint64_t fileBytes_ = 0, offset_ = 0;
  std::unique_ptr<void, Close> stream_;
  std::string buffer_;     // what was read ahead
  std::size_t begin_ = 0;  // of it that is used up
  bool ended_ = false, damaged_ = false;
};

}  // namespace strata
