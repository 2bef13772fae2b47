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

ChildProcess::ChildProcess(const std::vector<std::string>& arguments,
                           const std::filesystem::path& errors)
    : errors_(errors),
      errorsBefore_(std::filesystem::exists(errors) ? std::filesystem::file_size(errors) : 0) {
  std::string program = std::filesystem::read_symlink("/proc/self/exe").string();
  auto words = arguments;
  std::vector<char*> argv{program.data()};
  for (auto& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  posix_spawn_file_actions_t files;
  ::posix_spawn_file_actions_init(&files);
  ::posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  ::posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  ::posix_spawn_file_actions_addopen(&files, STDERR_FILENO, errors.c_str(),
                                     O_WRONLY | O_CREAT | O_APPEND, 0644);
  posix_spawnattr_t attributes;
  ::posix_spawnattr_init(&attributes);
  ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
  const int failed =
      ::posix_spawn(&pid_, program.c_str(), &files, &attributes, argv.data(), environ);
  ::posix_spawnattr_destroy(&attributes);
  ::posix_spawn_file_actions_destroy(&files);
  if (failed != 0) throw Error("cannot start {}: {}", program, std::strerror(failed));
}

void ChildProcess::signal(int number) const {
  if (!status_) ::kill(pid_, number);
}

std::optional<int> ChildProcess::poll() {
  if (status_) return status_;
  int status = 0;
  const pid_t got = ::waitpid(pid_, &status, WNOHANG);
  if (got < 0 && errno != EINTR) throw Error("lost the process {}: {}", pid_, std::strerror(errno));
  if (got == pid_) status_ = status;
  return status_;
}

std::string ChildProcess::lastWords() const {
  std::ifstream in(errors_, std::ios::binary);
  in.seekg(static_cast<std::streamoff>(errorsBefore_));
  std::string line, last;
  while (std::getline(in, line)) {
    if (!line.empty()) last = line;
  }
  constexpr std::size_t kMost = 1000;
  return last.substr(0, kMost);
}

std::string ChildProcess::describe(int status, const std::string& lastWords) {
  const std::string text = WIFSIGNALED(status)
                               ? fmt::format("was killed by signal {} ({})", WTERMSIG(status),
                                             ::strsignal(WTERMSIG(status)))
                               : fmt::format("ended with status {}", WEXITSTATUS(status));
  return lastWords.empty() ? text : text + ": " + lastWords;
}

}  // namespace strata
