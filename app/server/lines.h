#pragma once
#include <cstddef>
#include <mutex>
#include <string>
#include <string_view>

namespace strata {

// Line-based input and output, one message per line. read() for one thread, write() for any number.
// The caller keeps ownership of the descriptors.
class ServeLines {
 public:
  ServeLines(int input, int output, std::size_t maximumBytes);

  enum class Read {
    kLine,
    kTooLong,  // the line was skipped and discarded
    kEnd,      // no more input
    kGone      // the reader of the output has closed
  };
  // Waits for the next line, returned without its line end. A last line without one counts.
  Read read(std::string& line);

  // Writes a line with its end; false if the reader has closed.
  bool write(std::string_view line);

  bool isReaderGone() const;

 private:
  bool fill();  // false: no more input

  int input_, output_;
  std::size_t maximum_;
  std::string buffer_;     // read but not yet returned
  std::size_t begin_ = 0;  // start of the bytes not yet returned
  bool ended_ = false;
  std::mutex writing_;
};

// Reserves stdout for messages: returns a descriptor for them, and all other output goes to stderr.
int reserveOutput();

}  // namespace strata
