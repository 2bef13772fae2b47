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

LineCutter::LineCutter(std::string name, Read read, std::size_t longest)
    : name_(std::move(name)), read_(std::move(read)), longest_(longest) {}

bool LineCutter::fill() {
  if (atEnd_) return false;
  if (buffer_.size() - end_ < kReadBytes) {
    std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
    end_ -= begin_;
    begin_ = 0;
    if (buffer_.size() - end_ < kReadBytes)
      buffer_.resize(std::max(2 * buffer_.size(), end_ + kReadBytes));
  }
  const std::size_t count = read_(buffer_.data() + end_, buffer_.size() - end_);
  atEnd_ = count == 0;
  end_ += count;
  return count > 0;
}

std::string_view LineCutter::peek(std::size_t bytes) {
  while (end_ - begin_ < bytes && fill()) {
  }
  return unread();
}

bool LineCutter::next(std::string_view& line) {
  std::size_t searched = 0;  // unread bytes known to contain no \n
  std::size_t newline;
  while ((newline = unread().find('\n', searched)) == std::string_view::npos) {
    searched = end_ - begin_;
    if (searched > longest_) {
      throw Error("{}: line {} is longer than {} MiB; is this a text file?", name_, lineNumber_ + 1,
                  longest_ >> 20);
    }
    if (!fill()) break;
  }
  if (begin_ == end_) return false;
  line = unread().substr(0, newline);
  hadNewline_ = newline != std::string_view::npos;
  begin_ += line.size() + (hadNewline_ ? 1 : 0);
  ++lineNumber_;
  return true;
}

LineReader::LineReader(int fd, std::string name)
    : LineCutter(std::move(name),
                 [this](char* buffer, std::size_t size) {
                   ssize_t count;
                   do {
                     count = ::read(fd_, buffer, size);
                   } while (count < 0 && errno == EINTR);
                   if (count < 0)
                     throw Error("{}: cannot read: {}", this->name(), std::strerror(errno));
                   return static_cast<std::size_t>(count);
                 }),
      fd_(fd) {}

LineReader::LineReader(const std::filesystem::path& path) : LineReader(-1, path.string()) {
  fd_ = openInto(file_, path, O_RDONLY);
}

bool LineReader::next(std::string_view& line) {
  if (!LineCutter::next(line)) return false;
  if (const auto bad = firstInvalidUtf8(line)) {
    throw Error("{}: line {}, byte {} (from 0): not valid UTF-8; convert the text to UTF-8 first",
                name(), lineNumber(), *bad);
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
