#include "app/commands/standard_output.h"

#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>

#include "core/base/error.h"

namespace strata {
namespace {

bool isTerminal = false;  // at the start: a closed one no longer says that it is one

// A pipe or socket that nobody reads any more.
bool readerHasGone() {
  pollfd out{.fd = STDOUT_FILENO, .events = POLLOUT, .revents = 0};
  return ::poll(&out, 1, 0) == 1 && (out.revents & POLLERR) != 0;
}

bool isForgiven(int reason) {
  if (reason == EPIPE) return true;  // SIGPIPE is ignored: it would have ended the program
  if (reason == EIO || reason == 0) return isTerminal || (reason == 0 && readerHasGone());
  return false;
}

// Network file systems tell only now that there is no space. 0: all is well.
int closeCopy() {
  const int copy = ::dup(STDOUT_FILENO);
  return copy >= 0 && ::close(copy) != 0 ? errno : 0;
}

}  // namespace

void prepareStandardOutput() {
  isTerminal = ::isatty(STDOUT_FILENO) != 0;
  std::signal(SIGXFSZ, SIG_IGN);  // a limit of file sizes then is an error of writing
}

std::string cannotPrint(int reason) {
  return reason == 0 ? std::string("cannot write to stdout")
                     : fmt::format("cannot write to stdout: {}", std::strerror(reason));
}

void printOut(std::string_view text) {
  errno = 0;
  if (std::fwrite(text.data(), 1, text.size(), stdout) == text.size() && std::fflush(stdout) == 0)
    return;
  if (!isForgiven(errno)) throw Error("{}", cannotPrint(errno));
}

int finishStandardOutput(int status) {
  const bool failedBefore = std::ferror(stdout) != 0;  // of what, is not known any more
  errno = 0;
  int reason = std::fflush(stdout) != 0 ? errno : 0;
  const bool failed = failedBefore || reason != 0;
  if (!failed) reason = closeCopy();
  if ((!failed && reason == 0) || isForgiven(reason)) return status;
  if (status == 0) std::fprintf(stderr, "strata-run: %s\n", cannotPrint(reason).c_str());
  return status == 0 ? 1 : status;
}

}  // namespace strata
