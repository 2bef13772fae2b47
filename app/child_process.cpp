#include "app/child_process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>

#include "core/base/error.h"

namespace strata {

namespace {

// The redirections of the child's three streams.
class FileActions {
 public:
  explicit FileActions(const ChildStreams& streams) {
    ::posix_spawn_file_actions_init(&actions_);
    if (streams.input < 0) {
      ::posix_spawn_file_actions_addopen(&actions_, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    } else {
      ::posix_spawn_file_actions_adddup2(&actions_, streams.input, STDIN_FILENO);
    }
    // Onto itself: it is then not closed when the program is replaced.
    if (streams.kept >= 0)
      ::posix_spawn_file_actions_adddup2(&actions_, streams.kept, streams.kept);
    connect(streams.output, STDOUT_FILENO);
    if (streams.errorFile.empty()) {
      connect(streams.errors, STDERR_FILENO);
    } else {
      ::posix_spawn_file_actions_addopen(&actions_, STDERR_FILENO, streams.errorFile.c_str(),
                                         O_WRONLY | O_CREAT | O_APPEND, 0644);
    }
  }
  ~FileActions() { ::posix_spawn_file_actions_destroy(&actions_); }
  FileActions(const FileActions&) = delete;
  FileActions& operator=(const FileActions&) = delete;
  const posix_spawn_file_actions_t* get() const { return &actions_; }

 private:
  void connect(int descriptor, int stream) {
    if (descriptor < 0) {
      ::posix_spawn_file_actions_addopen(&actions_, stream, "/dev/null", O_WRONLY, 0);
    } else {
      ::posix_spawn_file_actions_adddup2(&actions_, descriptor, stream);
    }
  }

  posix_spawn_file_actions_t actions_;
};

}  // namespace

ChildProcess::ChildProcess(const std::vector<std::string>& arguments, const ChildStreams& streams)
    : errorFile_(streams.errorFile),
      errorsBefore_(std::filesystem::exists(errorFile_) ? std::filesystem::file_size(errorFile_)
                                                        : 0) {
  std::string program = std::filesystem::read_symlink("/proc/self/exe").string();
  auto words = arguments;
  std::vector<char*> argv{program.data()};
  for (auto& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  posix_spawnattr_t attributes;
  ::posix_spawnattr_init(&attributes);
  sigset_t defaults;  // a server ignores SIGPIPE; its children must not
  ::sigemptyset(&defaults);
  ::sigaddset(&defaults, SIGPIPE);
  ::posix_spawnattr_setsigdefault(&attributes, &defaults);
  const int group = streams.ownGroup ? POSIX_SPAWN_SETPGROUP : 0;
  ::posix_spawnattr_setflags(&attributes, static_cast<short>(POSIX_SPAWN_SETSIGDEF | group));
  const FileActions files(streams);
  const int failed =
      ::posix_spawn(&pid_, program.c_str(), files.get(), &attributes, argv.data(), environ);
  ::posix_spawnattr_destroy(&attributes);
  if (failed != 0) throw Error("cannot start {}: {}", program, std::strerror(failed));
}

void ChildProcess::signal(int number) const {
  if (!status_) ::kill(pid_, number);
}

void ChildProcess::await(int options) {
  int status = 0;
  const pid_t got = ::waitpid(pid_, &status, options);
  if (got < 0 && errno != EINTR) throw Error("lost the process {}: {}", pid_, std::strerror(errno));
  if (got == pid_) status_ = status;
}

std::optional<int> ChildProcess::poll() {
  if (!status_) await(WNOHANG);
  return status_;
}

int ChildProcess::wait() {
  while (!status_) await(0);
  return *status_;
}

std::string ChildProcess::lastErrorLine() const {
  std::ifstream in(errorFile_, std::ios::binary);
  in.seekg(static_cast<std::streamoff>(errorsBefore_));
  std::string line, last;
  while (std::getline(in, line)) {
    if (!line.empty()) last = line;
  }
  constexpr std::size_t kMost = 1000;
  return last.substr(0, kMost);
}

std::string ChildProcess::describe(int status, const std::string& lastErrorLine) {
  const std::string text = WIFSIGNALED(status)
                               ? fmt::format("was killed by signal {} ({})", WTERMSIG(status),
                                             ::strsignal(WTERMSIG(status)))
                               : fmt::format("ended with status {}", WEXITSTATUS(status));
  return lastErrorLine.empty() ? text : text + ": " + lastErrorLine;
}

}  // namespace strata
