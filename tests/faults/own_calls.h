// What a library that stands before the C library needs to do itself: the C library's functions,
// past its own, and the paths of what they are called for.
#pragma once
#include <dlfcn.h>
#include <fcntl.h>
#include <unistd.h>

#include <climits>
#include <cstdlib>
#include <string>
#include <utility>

namespace faults {

// The C library's own function.
#define REAL(name)                                                                           \
  ([] {                                                                                      \
    static auto* const found = reinterpret_cast<decltype(::name)*>(dlsym(RTLD_NEXT, #name)); \
    return found;                                                                            \
  }())

inline thread_local bool inside = false;  // this library's own operations pass
struct Inside {
  Inside() : before(std::exchange(inside, true)) {}
  ~Inside() { inside = before; }
  bool before;
};

inline std::string resolved(const std::string& path) {
  char buffer[PATH_MAX];
  return ::realpath(path.c_str(), buffer) != nullptr ? std::string(buffer) : std::string();
}

// An absolute path whose last name need not exist.
inline std::string absolute(int folder, const char* path) {
  std::string text = path;
  if (text.empty() || text[0] != '/') {
    std::string base = ".";
    if (folder != AT_FDCWD) base = "/proc/self/fd/" + std::to_string(folder);
    text = base + "/" + text;
  }
  while (text.size() > 1 && text.back() == '/') text.pop_back();
  const auto slash = text.rfind('/');
  const std::string parent = resolved(text.substr(0, slash == 0 ? 1 : slash));
  return parent.empty() ? std::string() : parent + text.substr(slash);
}

inline std::string pathOf(int fd) {
  char buffer[PATH_MAX];
  const std::string link = "/proc/self/fd/" + std::to_string(fd);
  const ssize_t length = ::readlink(link.c_str(), buffer, sizeof buffer);
  return length > 0 ? std::string(buffer, static_cast<std::size_t>(length)) : std::string();
}

}  // namespace faults
