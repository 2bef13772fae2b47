#include "app/server/child_report.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>

#include "app/child_process.h"
#include "core/base/error.h"
#include "core/base/progress.h"

namespace strata {
namespace {

constexpr int kStopCheckMs = 20;
constexpr std::string_view kName = "strata-run: ";  // prefix of a program's last message

// A pipe from a child; this side reads.
class ChildPipe {
 public:
  ChildPipe() {
    if (::pipe2(ends_.data(), O_CLOEXEC) != 0)
      throw Error("cannot create a pipe: {}", std::strerror(errno));
  }
  ~ChildPipe() {
    closeEnd(0);
    closeEnd(1);
  }
  ChildPipe(const ChildPipe&) = delete;
  ChildPipe& operator=(const ChildPipe&) = delete;

  int writing() const { return ends_[1]; }
  int reading() const { return ends_[0]; }
  void closeWriting() { closeEnd(1); }
  bool isOpen() const { return ends_[0] >= 0; }
  const std::string& text() const { return text_; }

  // Reads the available bytes; closes at the end of file.
  void read() {
    std::array<char, 1 << 14> piece;
    const ssize_t count = ::read(ends_[0], piece.data(), piece.size());
    if (count < 0 && errno == EINTR) return;
    if (count <= 0) {
      closeEnd(0);
    } else {
      text_.append(piece.data(), static_cast<std::size_t>(count));
    }
  }

 private:
  void closeEnd(std::size_t end) {
    if (ends_[end] >= 0) ::close(ends_[end]);
    ends_[end] = -1;
  }

  std::array<int, 2> ends_{-1, -1};
  std::string text_;
};

// Of several lines, if the program has named itself before them.
std::string lastMessage(std::string text) {
  while (text.ends_with('\n')) text.pop_back();
  const std::size_t named = text.rfind(kName);
  if (named != std::string::npos && (named == 0 || text[named - 1] == '\n'))
    return text.substr(named + kName.size());
  return text.substr(text.rfind('\n') + 1);
}

}  // namespace

std::string runInChild(const std::vector<std::string>& arguments, const std::stop_token& stop) {
  ChildPipe output, errors;
  ChildProcess child(
      arguments,
      {.errorFile = {}, .output = output.writing(), .errors = errors.writing(), .ownGroup = false});
  output.closeWriting();
  errors.closeWriting();
  while (output.isOpen() || errors.isOpen()) {
    // poll() ignores a descriptor of -1.
    pollfd both[2] = {{.fd = output.reading(), .events = POLLIN, .revents = 0},
                      {.fd = errors.reading(), .events = POLLIN, .revents = 0}};
    ::poll(both, 2, kStopCheckMs);
    if (stop.stop_requested()) {
      child.signal(SIGKILL);
      child.wait();
      throw Cancelled();
    }
    if (both[0].revents != 0) output.read();
    if (both[1].revents != 0) errors.read();
  }
  const int status = child.wait();
  if (WIFSIGNALED(status)) {
    throw Error("the calculation {}; it may need more memory than is available",
                ChildProcess::describe(status, ""));
  }
  if (WEXITSTATUS(status) != 0) throw Error("{}", lastMessage(errors.text()));
  return output.text();
}

}  // namespace strata
