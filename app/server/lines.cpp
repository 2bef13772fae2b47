#include "app/server/lines.h"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "core/base/error.h"

namespace strata {
namespace {
constexpr std::size_t kPieceBytes = 64 << 10;
}  // namespace

ServeLines::ServeLines(int input, int output, std::size_t maximumBytes)
    : input_(input), output_(output), maximum_(maximumBytes) {}

bool ServeLines::isReaderGone() const {
  pollfd state{.fd = output_, .events = 0, .revents = 0};
  return ::poll(&state, 1, 0) > 0 && (state.revents & (POLLERR | POLLNVAL)) != 0;
}

bool ServeLines::fill() {
  if (begin_ > 0) buffer_.erase(0, std::exchange(begin_, 0));
  const std::size_t before = buffer_.size();
  buffer_.resize(before + kPieceBytes);
  ssize_t count = -1;
  do {
    count = ::read(input_, buffer_.data() + before, kPieceBytes);
  } while (count < 0 && errno == EINTR);
  buffer_.resize(before + static_cast<std::size_t>(count > 0 ? count : 0));
  return count > 0;
}

ServeLines::Read ServeLines::read(std::string& line) {
  bool tooLong = false;
  std::size_t searched = begin_;
  for (;;) {
    const std::size_t end = buffer_.find('\n', searched);
    if (end != std::string::npos) {
      tooLong = tooLong || end - begin_ > maximum_;
      if (!tooLong) line.assign(buffer_, begin_, end - begin_);
      begin_ = end + 1;
      return tooLong ? Read::kTooLong : Read::kLine;
    }
    if (buffer_.size() - begin_ > maximum_) {
      tooLong = true;
      begin_ = buffer_.size();
    }
    if (ended_) {
      const bool nothing = begin_ == buffer_.size();
      line.assign(buffer_, begin_);
      begin_ = buffer_.size();
      if (tooLong) return Read::kTooLong;
      return nothing ? Read::kEnd : Read::kLine;
    }
    pollfd both[2] = {{.fd = input_, .events = POLLIN, .revents = 0},
                      {.fd = output_, .events = 0, .revents = 0}};
    if (::poll(both, 2, -1) < 0 && errno != EINTR) throw Error("stdin cannot be read");
    if ((both[1].revents & (POLLERR | POLLNVAL)) != 0) return Read::kGone;
    if (both[0].revents == 0) continue;
    searched = buffer_.size() - begin_;  // fill() moves the remaining bytes to the front
    ended_ = !fill();
  }
}

bool ServeLines::write(std::string_view line) {
  const std::lock_guard lock(writing_);
  while (!line.empty()) {
    const ssize_t count = ::write(output_, line.data(), line.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    line.remove_prefix(static_cast<std::size_t>(count));
  }
  return true;
}

int reserveOutput() {
  const int output = ::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0);
  if (output < 0 || ::dup2(STDERR_FILENO, STDOUT_FILENO) < 0)
    throw Error("stdout cannot be used for answers; start it with stdout and stderr open");
  return output;
}

}  // namespace strata
