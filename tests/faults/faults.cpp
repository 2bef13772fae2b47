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
#include <dlfcn.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <list>
#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace {

// The C library's own function.
#define REAL(name)                                                                           \
  ([] {                                                                                      \
    static auto* const found = reinterpret_cast<decltype(::name)*>(dlsym(RTLD_NEXT, #name)); \
    return found;                                                                            \
  }())

enum class Kind { kNone, kKill, kTorn, kShort, kEio, kEnospc, kPower };

thread_local bool inside = false;  // this library's own operations pass
struct Inside {
  Inside() : before(std::exchange(inside, true)) {}
  ~Inside() { inside = before; }
  bool before;
};

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr ? value : "";
}

std::string resolved(const std::string& path) {
  char buffer[PATH_MAX];
  return ::realpath(path.c_str(), buffer) != nullptr ? std::string(buffer) : std::string();
}

// An absolute path whose last name need not exist.
std::string absolute(int folder, const char* path) {
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

std::string pathOf(int fd) {
  char buffer[PATH_MAX];
  const std::string link = "/proc/self/fd/" + std::to_string(fd);
  const ssize_t length = ::readlink(link.c_str(), buffer, sizeof buffer);
  return length > 0 ? std::string(buffer, static_cast<std::size_t>(length)) : std::string();
}

std::string parentOf(const std::string& path) {
  return path.substr(0, path.rfind('/'));
}

// What a loss of power would undo.
struct Change {
  enum { kCreate, kRename, kRemove, kMakeFolder, kRemoveFolder } kind;
  std::string path, from, saved;  // saved: what `path` was before
};
struct Content {
  int fd;             // to the file, whatever its name is now
  std::string saved;  // a copy of what was last synced
};

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
        forget();
        end();
      default:
        return kind_;
    }
  }

  [[noreturn]] static void end() {
    ::kill(::getpid(), SIGKILL);
    for (;;) ::pause();
  }

  // Before a file changes.
  void changes(int fd) {
    if (kind_ != Kind::kPower) return;
    struct stat info {};
    if (::fstat(fd, &info) != 0 || !S_ISREG(info.st_mode)) return;
    const Inode inode{info.st_dev, info.st_ino};
    if (contents_.contains(inode)) return;
    const std::string self = "/proc/self/fd/" + std::to_string(fd);
    Content content{REAL(open)(self.c_str(), O_RDWR | O_CLOEXEC), newName()};
    copy(self, content.saved);
    contents_.emplace(inode, content);
  }

  void changed(Change change) {
    if (kind_ == Kind::kPower) changes_.push_back(std::move(change));
  }

  // A copy of what a name stands for now, for `saved` of a change; empty: nothing.
  std::string keep(const std::string& path) {
    if (kind_ != Kind::kPower) return {};
    const std::string saved = newName();
    return REAL(link)(path.c_str(), saved.c_str()) == 0 ? saved : std::string();
  }

  void synced(int fd) {
    if (kind_ != Kind::kPower) return;
    struct stat info {};
    if (::fstat(fd, &info) != 0) return;
    const std::string path = pathOf(fd);
    if (S_ISDIR(info.st_mode)) {
      changes_.remove_if([&](const Change& change) { return parentOf(change.path) == path; });
      return;
    }
    if (const auto found = contents_.find({info.st_dev, info.st_ino}); found != contents_.end()) {
      REAL(close)(found->second.fd);
      contents_.erase(found);
    }
    // Its own creation, and the folders that were made for it.
    changes_.remove_if([&](const Change& change) {
      return (change.kind == Change::kCreate && change.path == path) ||
             (change.kind == Change::kMakeFolder && path.starts_with(change.path + "/"));
    });
  }

  void writeCount() const {
    if (countFile_.empty()) return;
    const int fd = REAL(open)(countFile_.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644);
    const std::string text = std::to_string(count_) + "\n" + operations_;
    if (fd < 0 || REAL(write)(fd, text.data(), text.size()) < 0) return;
    REAL(close)(fd);
  }

 private:
  using Inode = std::pair<dev_t, ino_t>;

  Faults()
      : root_(resolved(variable("FAULT_ROOT"))),
        shadow_(variable("FAULT_SHADOW")),
        countFile_(variable("FAULT_COUNT")),
        at_(std::atol(variable("FAULT_AT").c_str())) {
    const std::map<std::string, Kind> kinds{{"kill", Kind::kKill},     {"torn", Kind::kTorn},
                                            {"short", Kind::kShort},   {"eio", Kind::kEio},
                                            {"enospc", Kind::kEnospc}, {"power", Kind::kPower}};
    const auto found = kinds.find(variable("FAULT_KIND"));
    kind_ = found == kinds.end() || at_ == 0 ? Kind::kNone : found->second;
  }

  std::string newName() {
    return shadow_ + "/" + std::to_string(::getpid()) + "-" + std::to_string(++saved_);
  }

  static void copy(const std::string& from, const std::string& to) {
    const int in = REAL(open)(from.c_str(), O_RDONLY | O_CLOEXEC);
    const int out = REAL(open)(to.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    copy(in, out);
    REAL(close)(in);
    REAL(close)(out);
  }
  static void copy(int in, int out) {
    char buffer[1 << 16];
    for (ssize_t got; (got = ::read(in, buffer, sizeof buffer)) > 0;) {
      if (REAL(write)(out, buffer, static_cast<std::size_t>(got)) != got) ::abort();
    }
  }

  void forget() {
    for (auto change = changes_.rbegin(); change != changes_.rend(); ++change) {
      const char* path = change->path.c_str();
      switch (change->kind) {
        case Change::kCreate:
          REAL(unlink)(path);
          break;
        case Change::kRename:
          REAL(rename)(path, change->from.c_str());
          break;
        case Change::kMakeFolder:
          REAL(rmdir)(path);
          break;
        case Change::kRemoveFolder:
          REAL(mkdir)(path, 0755);
          break;
        case Change::kRemove:
          break;
      }
      if (!change->saved.empty()) REAL(rename)(change->saved.c_str(), path);
    }
    for (const auto& [inode, content] : contents_) {
      const int saved = REAL(open)(content.saved.c_str(), O_RDONLY | O_CLOEXEC);
      if (REAL(ftruncate)(content.fd, 0) != 0) ::abort();
      ::lseek(content.fd, 0, SEEK_SET);
      copy(saved, content.fd);
      REAL(close)(saved);
    }
  }

  std::string root_, shadow_, countFile_, operations_;
  long at_, count_ = 0, saved_ = 0;
  Kind kind_ = Kind::kNone;
  bool full_ = false;
  std::list<Change> changes_;
  std::map<Inode, Content> contents_;
};

__attribute__((destructor)) void ended() {
  const Inside guard;
  Faults::all().writeCount();
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
      Faults::all().changes(before);
      REAL(close)(before);
    }
  }
  const int fd = open();
  if (operation.isWatched() && makes && fd >= 0) {
    const Inside guard;
    Faults::all().changed({Change::kCreate, path, {}, {}});
    Faults::all().changes(fd);
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
    Faults::all().changes(fd);
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
    change.saved = Faults::all().keep(change.path);
  }
  const int status = work();
  if (operation.isWatched() && status == 0) {
    const Inside guard;
    Faults::all().changed(std::move(change));
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
    Faults::all().synced(fd);
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
    Faults::all().changes(fd);
  }
  return map();
}
void* mmap64(void* at, size_t bytes, int protection, int flags, int fd, off64_t offset) {
  return mmap(at, bytes, protection, flags, fd, offset);
}

}  // extern "C"
