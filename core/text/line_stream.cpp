#include "core/text/line_stream.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "core/base/error.h"
#include "core/base/utf8.h"

namespace strata {
namespace {
constexpr std::size_t kReadBytes = 1 << 18;

// The descriptor of the file that becomes `owned`.
int openInto(std::optional<OpenFile>& owned, const std::filesystem::path& path, int flags) {
  const OpenFile& file = owned.emplace(path, flags);
  if (!file.isOpen()) throw file.failure("open");
  return file.fd();
}

}  // namespace

LineReader::LineReader(int fd, std::string name) : fd_(fd), name_(std::move(name)) {
  buffer_.resize(2 * kReadBytes);
}

LineReader::LineReader(const std::filesystem::path& path) : LineReader(-1, path.string()) {
  fd_ = openInto(file_, path, O_RDONLY);
}

bool LineReader::fill() {
  if (atEnd_) return false;
  if (buffer_.size() - end_ < kReadBytes) {
    std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
    end_ -= begin_;
    begin_ = 0;
    if (buffer_.size() - end_ < kReadBytes)
      buffer_.resize(std::max(2 * buffer_.size(), end_ + kReadBytes));
  }
  ssize_t count;
  do {
    count = ::read(fd_, buffer_.data() + end_, buffer_.size() - end_);
  } while (count < 0 && errno == EINTR);
  if (count < 0) throw Error("{}: cannot read: {}", name_, std::strerror(errno));
  if (count == 0) atEnd_ = true;
  end_ += static_cast<std::size_t>(count);
  return count > 0;
}

bool LineReader::next(std::string_view& line) {
  std::size_t searched = 0;  // bytes after begin_ known to contain no \n
  const char* newline = nullptr;
  for (;;) {
    const char* from = buffer_.data() + begin_ + searched;
    newline = static_cast<const char*>(std::memchr(from, '\n', end_ - begin_ - searched));
    if (newline != nullptr) break;
    searched = end_ - begin_;
    if (!fill()) break;
  }
  if (newline == nullptr && begin_ == end_) return false;
  const std::size_t length = newline != nullptr
                                 ? static_cast<std::size_t>(newline - buffer_.data()) - begin_
                                 : end_ - begin_;
  line = std::string_view(buffer_).substr(begin_, length);
  begin_ += length + (newline != nullptr ? 1 : 0);
  hadNewline_ = newline != nullptr;
  ++lineNumber_;
  if (const auto bad = firstInvalidUtf8(line)) {
    throw Error("{}: line {}, byte {} (from 0): not valid UTF-8; convert the text to UTF-8 first",
                name_, lineNumber_, *bad);
  }
  return true;
}

LineWriter::LineWriter(int fd, std::string name) : fd_(fd), name_(std::move(name)) {
  buffer_.reserve(2 * kFlushBytes);
}

LineWriter::LineWriter(const std::filesystem::path& path) : LineWriter(-1, path.string()) {
  fd_ = openInto(file_, path, O_WRONLY | O_CREAT | O_TRUNC);
}

void LineWriter::flush() {
  std::size_t done = 0;
  while (done < buffer_.size()) {
    const ssize_t count = ::write(fd_, buffer_.data() + done, buffer_.size() - done);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) throw Error("{}: cannot write: {}", name_, std::strerror(errno));
    done += static_cast<std::size_t>(count);
  }
  buffer_.clear();
}

}  // namespace strata
