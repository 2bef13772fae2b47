// Loaded before the C library (LD_PRELOAD): numbers each operation by which a program changes files
// below one folder, and lets one of them fail.
//
//   FAULT_ROOT    the folder; operations elsewhere pass unnumbered
//   FAULT_AT      the number of the operation that fails, from 1; 0 or absent: none
//   FAULT_KIND    kill    the process is killed before it
//                 torn    a write is done by half, then the process is killed
//                 short   a write is done by half, and says so
//                 eio     it fails with EIO, as a broken disk does
//                 enospc  it and all that follow that need space fail with ENOSPC
//                 power   the process is killed, and what was not synced is forgotten
//   FAULT_SHADOW  a folder on the same file system, for what "power" may have to bring back
//   FAULT_COUNT   a file to which the number of operations, and what each was, are written at the
//   end
//
// What a loss of power forgets: the content that a file has got since it was last synced; the
// creation, renaming or removal of a name until its folder is synced (the creation of a file also
// until the file is). Linux's file systems keep at least that. Streams of the C library (FILE)
// write inside of it, unseen.
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "own_calls.h"
#include "unsynced.h"

namespace {

using namespace faults;

enum class Kind { kNone, kKill, kTorn, kShort, kEio, kEnospc, kPower };

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr ? value : "";
}

class Faults {
 public:
  static Faults& all() {
    static auto* faults = new Faults;  // used until the process ends
    return *faults;
  }

  std::recursive_mutex mutex;

  bool isWatched(const std::string& path) const {
    return !root_.empty() && path.starts_with(root_) &&
           (path.size() == root_.size() || path[root_.size()] == '/') && !path.ends_with("-shm");
  }

  // Numbers an operation. Returns what becomes of it: it may not return.
  Kind next(const char* name, const std::string& path, bool writes, bool needsSpace) {
    ++count_;
    if (!countFile_.empty())
      operations_ += std::string(name) + " " + path.substr(root_.size()) + "\n";
    if (full_ && needsSpace) return Kind::kEnospc;
    if (count_ != at_) return Kind::kNone;
    switch (kind_) {
      case Kind::kKill:
        end();
      case Kind::kTorn:
        if (!writes) end();
        return Kind::kTorn;
      case Kind::kShort:
        return writes ? Kind::kShort : Kind::kNone;
      case Kind::kEnospc:
        full_ = true;
        return needsSpace ? Kind::kEnospc : Kind::kNone;
      case Kind::kPower:
        unsynced_.forget();
        end();
      default:
        return kind_;
    }
  }

  [[noreturn]] static void end() {
    ::kill(::getpid(), SIGKILL);
    for (;;) ::pause();
  }

  Unsynced& unsynced() { return unsynced_; }

  void writeCount() const {
    if (countFile_.empty()) return;
    const int fd = REAL(open)(countFile_.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644);
    const std::string text = std::to_string(count_) + "\n" + operations_;
    if (fd < 0 || REAL(write)(fd, text.data(), text.size()) < 0) return;
    REAL(close)(fd);
  }

 private:
  Faults() = default;

  static Kind chosenKind() {
    const std::map<std::string, Kind> kinds{{"kill", Kind::kKill},     {"torn", Kind::kTorn},
                                            {"short", Kind::kShort},   {"eio", Kind::kEio},
                                            {"enospc", Kind::kEnospc}, {"power", Kind::kPower}};
    const auto found = kinds.find(variable("FAULT_KIND"));
    return found == kinds.end() ? Kind::kNone : found->second;
  }

  const std::string root_ = resolved(variable("FAULT_ROOT")), countFile_ = variable("FAULT_COUNT");
  const long at_ = std::atol(variable("FAULT_AT").c_str());
  const Kind kind_ = at_ == 0 ? Kind::kNone : chosenKind();
  Unsynced unsynced_{kind_ == Kind::kPower ? variable("FAULT_SHADOW") : std::string()};
  std::string operations_;
  long count_ = 0;
  bool full_ = false;
};

__attribute__((destructor)) void ended() {
  const Inside guard;
  Faults::all().writeCount();
}

// A process that ends by quick_exit() calls no destructors.
__attribute__((constructor)) void begun() {
  std::at_quick_exit(ended);
}

// One operation: it is numbered if it is below the folder, and fails if it is its turn.
class Operation {
 public:
  Operation(const char* name, const std::string& path, bool writes, bool needsSpace)
      : watched_(!inside && !path.empty() && Faults::all().isWatched(path)) {
    if (!watched_) return;
    Faults::all().mutex.lock();
    const Inside guard;
    kind_ = Faults::all().next(name, path, writes, needsSpace);
  }
  ~Operation() {
    if (watched_) Faults::all().mutex.unlock();
  }
  Operation(const Operation&) = delete;
  Operation& operator=(const Operation&) = delete;

  bool isWatched() const { return watched_; }
  // It is not done; errno says why.
  bool fails() const {
    if (kind_ == Kind::kEio) errno = EIO;
    if (kind_ == Kind::kEnospc) errno = ENOSPC;
    return kind_ == Kind::kEio || kind_ == Kind::kEnospc;
  }
  bool isHalf() const { return kind_ == Kind::kTorn || kind_ == Kind::kShort; }
  void endIfTorn() const {
    if (kind_ == Kind::kTorn) Faults::end();
  }

 private:
  bool watched_;
  Kind kind_ = Kind::kNone;
};

bool exists(const std::string& path) {
  struct stat info {};
  return ::lstat(path.c_str(), &info) == 0;
}

// `open` does it.
template <typename Open>
int opened(const char* name, const std::string& path, int flags, const Open& open) {
  if ((flags & (O_CREAT | O_TRUNC)) == 0 || inside) return open();
  const bool makes = (flags & O_CREAT) != 0 && !exists(path);
  if (!makes && (flags & O_TRUNC) == 0) return open();  // as it is
  const Operation operation(name, path, false, makes);
  if (operation.fails()) return -1;
  if (operation.isWatched() && !makes) {
    const Inside guard;
    const int before = REAL(open)(path.c_str(), O_RDWR | O_CLOEXEC);
    if (before >= 0) {
      Faults::all().unsynced().willWrite(before);
      REAL(close)(before);
    }
  }
  const int fd = open();
  if (operation.isWatched() && makes && fd >= 0) {
    const Inside guard;
    Faults::all().unsynced().changed({Change::kCreate, path, {}, {}});
    Faults::all().unsynced().willWrite(fd);
  }
  return fd;
}

// `write` writes so many of the bytes.
template <typename Write>
ssize_t wrote(const char* name, int fd, std::size_t bytes, const Write& write) {
  if (inside) return write(bytes);
  const Operation operation(name, pathOf(fd), true, true);
  if (operation.fails()) return -1;
  if (operation.isWatched()) {
    const Inside guard;
    Faults::all().unsynced().willWrite(fd);
  }
  if (!operation.isHalf()) return write(bytes);
  const ssize_t half = bytes > 1 ? write(bytes / 2) : 0;
  operation.endIfTorn();
  return half;
}

template <typename Do>
int changedName(const char* name, Change change, bool needsSpace, const Do& work) {
  if (inside) return work();
  const Operation operation(name, change.path, false, needsSpace);
  if (operation.fails()) return -1;
  if (operation.isWatched() && (change.kind == Change::kRename || change.kind == Change::kRemove)) {
    const Inside guard;
    change.saved = Faults::all().unsynced().keep(change.path);
  }
  const int status = work();
  if (operation.isWatched() && status == 0) {
    const Inside guard;
    Faults::all().unsynced().changed(std::move(change));
  }
  return status;
}

template <typename Sync>
int syncs(const char* name, int fd, const Sync& sync) {
  if (inside) return sync();
  const Operation operation(name, pathOf(fd), false, true);
  if (operation.fails()) return -1;
  const int status = sync();
  if (operation.isWatched() && status == 0) {
    const Inside guard;
    Faults::all().unsynced().synced(fd);
  }
  return status;
}

mode_t modeOf(int flags, va_list more) {
  return (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(more, mode_t) : 0;
}

}  // namespace

extern "C" {

#define OPEN(name)                                                \
  int name(const char* path, int flags, ...) {                    \
    va_list more;                                                 \
    va_start(more, flags);                                        \
    const mode_t mode = modeOf(flags, more);                      \
    va_end(more);                                                 \
    return opened(#name, absolute(AT_FDCWD, path), flags,         \
                  [&] { return REAL(name)(path, flags, mode); }); \
  }
#define OPENAT(name)                                                      \
  int name(int folder, const char* path, int flags, ...) {                \
    va_list more;                                                         \
    va_start(more, flags);                                                \
    const mode_t mode = modeOf(flags, more);                              \
    va_end(more);                                                         \
    return opened(#name, absolute(folder, path), flags,                   \
                  [&] { return REAL(name)(folder, path, flags, mode); }); \
  }
OPEN(open)
OPEN(open64)
OPENAT(openat)
OPENAT(openat64)

int creat(const char* path, mode_t mode) {
  return open(path, O_CREAT | O_WRONLY | O_TRUNC, mode);
}

FILE* fopen(const char* path, const char* mode) {
  const int flags = *mode == 'w' ? O_CREAT | O_TRUNC : *mode == 'a' ? O_CREAT : 0;
  FILE* stream = nullptr;
  opened("fopen", absolute(AT_FDCWD, path), flags, [&] {
    stream = REAL(fopen)(path, mode);
    return stream == nullptr ? -1 : fileno(stream);
  });
  return stream;
}
FILE* fopen64(const char* path, const char* mode) {
  return fopen(path, mode);
}

ssize_t write(int fd, const void* data, size_t bytes) {
  return wrote("write", fd, bytes, [&](size_t some) { return REAL(write)(fd, data, some); });
}
ssize_t pwrite(int fd, const void* data, size_t bytes, off_t at) {
  return wrote("pwrite", fd, bytes, [&](size_t some) { return REAL(pwrite)(fd, data, some, at); });
}
ssize_t pwrite64(int fd, const void* data, size_t bytes, off64_t at) {
  return wrote("pwrite", fd, bytes,
               [&](size_t some) { return REAL(pwrite64)(fd, data, some, at); });
}
// By half: only the first part.
ssize_t writev(int fd, const iovec* parts, int count) {
  return wrote("writev", fd, static_cast<size_t>(count),
               [&](size_t some) { return REAL(writev)(fd, parts, static_cast<int>(some)); });
}
ssize_t copy_file_range(int in, off64_t* inAt, int out, off64_t* outAt, size_t bytes,
                        unsigned flags) {
  return wrote("copy_file_range", out, bytes, [&](size_t some) {
    return REAL(copy_file_range)(in, inAt, out, outAt, some, flags);
  });
}
ssize_t sendfile(int out, int in, off_t* at, size_t bytes) {
  return wrote("sendfile", out, bytes,
               [&](size_t some) { return REAL(sendfile)(out, in, at, some); });
}
ssize_t sendfile64(int out, int in, off64_t* at, size_t bytes) {
  return wrote("sendfile", out, bytes,
               [&](size_t some) { return REAL(sendfile64)(out, in, at, some); });
}

int ftruncate(int fd, off_t size) {
  return static_cast<int>(
      wrote("ftruncate", fd, 0, [&](size_t) -> ssize_t { return REAL(ftruncate)(fd, size); }));
}
int ftruncate64(int fd, off64_t size) {
  return static_cast<int>(
      wrote("ftruncate", fd, 0, [&](size_t) -> ssize_t { return REAL(ftruncate64)(fd, size); }));
}
int fallocate(int fd, int mode, off_t at, off_t bytes) {
  return static_cast<int>(wrote(
      "fallocate", fd, 0, [&](size_t) -> ssize_t { return REAL(fallocate)(fd, mode, at, bytes); }));
}
int posix_fallocate64(int fd, off64_t at, off64_t bytes) {
  return static_cast<int>(wrote("fallocate", fd, 0, [&](size_t) -> ssize_t {
    return REAL(posix_fallocate64)(fd, at, bytes);
  }));
}

int fsync(int fd) {
  return syncs("fsync", fd, [&] { return REAL(fsync)(fd); });
}
int fdatasync(int fd) {
  return syncs("fdatasync", fd, [&] { return REAL(fdatasync)(fd); });
}

int rename(const char* from, const char* to) {
  return changedName("rename",
                     {Change::kRename, absolute(AT_FDCWD, to), absolute(AT_FDCWD, from), {}}, false,
                     [&] { return REAL(rename)(from, to); });
}
int renameat(int fromFolder, const char* from, int toFolder, const char* to) {
  return changedName("rename",
                     {Change::kRename, absolute(toFolder, to), absolute(fromFolder, from), {}},
                     false, [&] { return REAL(renameat)(fromFolder, from, toFolder, to); });
}
int link(const char* from, const char* to) {
  return changedName("link", {Change::kCreate, absolute(AT_FDCWD, to), {}, {}}, true,
                     [&] { return REAL(link)(from, to); });
}
int symlink(const char* target, const char* path) {
  return changedName("symlink", {Change::kCreate, absolute(AT_FDCWD, path), {}, {}}, true,
                     [&] { return REAL(symlink)(target, path); });
}
int unlink(const char* path) {
  return changedName("unlink", {Change::kRemove, absolute(AT_FDCWD, path), {}, {}}, false,
                     [&] { return REAL(unlink)(path); });
}
int rmdir(const char* path) {
  return changedName("rmdir", {Change::kRemoveFolder, absolute(AT_FDCWD, path), {}, {}}, false,
                     [&] { return REAL(rmdir)(path); });
}
int unlinkat(int folder, const char* path, int flags) {
  const bool isFolder = (flags & AT_REMOVEDIR) != 0;
  return changedName(
      isFolder ? "rmdir" : "unlink",
      {isFolder ? Change::kRemoveFolder : Change::kRemove, absolute(folder, path), {}, {}}, false,
      [&] { return REAL(unlinkat)(folder, path, flags); });
}
int remove(const char* path) {
  struct stat info {};
  const bool isFolder = ::lstat(path, &info) == 0 && S_ISDIR(info.st_mode);
  return isFolder ? rmdir(path) : unlink(path);
}
int mkdir(const char* path, mode_t mode) {
  return changedName("mkdir", {Change::kMakeFolder, absolute(AT_FDCWD, path), {}, {}}, true,
                     [&] { return REAL(mkdir)(path, mode); });
}
int mkdirat(int folder, const char* path, mode_t mode) {
  return changedName("mkdir", {Change::kMakeFolder, absolute(folder, path), {}, {}}, true,
                     [&] { return REAL(mkdirat)(folder, path, mode); });
}

// What is written into a mapped file is not seen: the mapping counts as one write.
void* mmap(void* at, size_t bytes, int protection, int flags, int fd, off_t offset) {
  const auto map = [&] { return REAL(mmap)(at, bytes, protection, flags, fd, offset); };
  if (inside || fd < 0 || (flags & MAP_SHARED) == 0 || (protection & PROT_WRITE) == 0) return map();
  const Operation operation("mmap", pathOf(fd), false, true);
  if (operation.fails()) return MAP_FAILED;
  if (operation.isWatched()) {
    const Inside guard;
    Faults::all().unsynced().willWrite(fd);
  }
  return map();
}
void* mmap64(void* at, size_t bytes, int protection, int flags, int fd, off64_t offset) {
  return mmap(at, bytes, protection, flags, fd, offset);
}

}  // extern "C"
