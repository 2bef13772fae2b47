#pragma once
#include <cstddef>
#include <mutex>
#include <string>
#include <string_view>

namespace strata {

// Both ends of a conversation, one message a line. read() serves one thread, write() any number.
// The descriptors stay the caller's.
class ServeLines {
 public:
  ServeLines(int input, int output, std::size_t maximumBytes);

  enum class Read {
    kLine,
    kTooLong,  // the line was passed over; nothing of it is kept
    kEnd,      // no more input
    kGone      // nobody reads what is written any more
  };
  // Waits for the next line; without its end. A last line without an end counts.
  Read read(std::string& line);

  // Writes a whole line with its end; false when nobody reads any more.
  bool write(std::string_view line);

  bool isReaderGone() const;

 private:
  bool fill();  // false: no more input

  int input_, output_;
  std::size_t maximum_;
  std::string buffer_;     // read but not yet given out
  std::size_t begin_ = 0;  // of what is not yet given out
  bool ended_ = false;
  std::mutex writing_;
};

}  // namespace strata
