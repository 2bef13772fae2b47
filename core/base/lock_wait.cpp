#include "core/base/lock_wait.h"

#include <spdlog/spdlog.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <sstream>
#include <thread>

namespace strata {
namespace {

using Milliseconds = std::chrono::milliseconds;
constexpr Milliseconds kLongestPause{20};

// proc(5): the state is the first letter after the name in brackets.
bool isStopped(long pid) {
  std::ifstream stream("/proc/" + std::to_string(pid) + "/stat");
  const std::string text(std::istreambuf_iterator<char>(stream), {});
  const auto bracket = text.rfind(')');
  return bracket != text.npos && text.substr(bracket, 3).find_first_of("Tt") != text.npos;
}

// False: somebody else has it.
bool tryLock(const OpenFile& file, int operation) {
  while (::flock(file.fd(), operation | LOCK_NB) != 0) {
    if (errno == EWOULDBLOCK) return false;
    if (errno != EINTR) return true;  // there are no locks here
  }
  return true;
}

// Lines of /proc/locks: "1: FLOCK  ADVISORY  WRITE 1234 08:01:5678 0 EOF"; those that wait have
// "->" after the number.
struct Lock {
  std::string number, type, access, mode, place;
  long pid = 0;
};

// The first lock on the file that `wanted` is true of, as lockOwner() says it.
template <typename Wanted>
std::string ownerOf(const struct stat& file, const Wanted& wanted) {
  const std::string place =
      fmt::format("{:02x}:{:02x}:{}", major(file.st_dev), minor(file.st_dev), file.st_ino);
  std::ifstream stream("/proc/locks");
  for (std::string line; std::getline(stream, line);) {
    std::istringstream words(line);
    Lock lock;
    if (!(words >> lock.number >> lock.type >> lock.access >> lock.mode >> lock.pid >> lock.place))
      continue;
    if (lock.place != place || lock.pid <= 0 || !wanted(lock)) continue;
    return fmt::format("process {}{}", lock.pid, isStopped(lock.pid) ? ", which is stopped" : "");
  }
  return {};
}

}  // namespace

std::string lockOwner(const OpenFile& file) {
  struct stat info {};
  if (::fstat(file.fd(), &info) != 0) return {};
  return ownerOf(info, [](const Lock& lock) { return lock.type == "FLOCK"; });
}

std::string writeLockOwner(const std::filesystem::path& path) {
  struct stat info {};
  if (::stat(path.c_str(), &info) != 0) return {};
  return ownerOf(info,
                 [](const Lock& lock) { return lock.type == "POSIX" && lock.mode == "WRITE"; });
}

void waitForLock(const OpenFile& file, int operation, const LockWait& wait) {
  const auto begun = std::chrono::steady_clock::now();
  bool silent = true;
  for (Milliseconds pause{1}; !tryLock(file, operation);
       pause = std::min(2 * pause, kLongestPause)) {
    const auto waited = std::chrono::steady_clock::now() - begun;
    const auto owner = [&] {
      const std::string known = lockOwner(file);
      return known.empty() ? std::string("another process") : known;
    };
    if (wait.limit && waited >= *wait.limit) {
      throw Error("{} is locked by {}: let it go on (kill -CONT) or end it, then try again",
                  file.path().string(), owner());
    }
    if (silent && waited >= wait.silent) {
      spdlog::warn("{} is locked by {}: waiting", file.path().string(), owner());
      silent = false;
    }
    std::this_thread::sleep_for(pause);
  }
}

}  // namespace strata
