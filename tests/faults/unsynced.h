// What a loss of power would forget (faults.cpp says what that is), and how it is forgotten.
#pragma once
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <list>
#include <map>
#include <string>
#include <utility>

#include "own_calls.h"

namespace faults {

// A change of a name.
struct Change {
  enum { kCreate, kRename, kRemove, kMakeFolder, kRemoveFolder } kind;
  std::string path, from, saved;  // saved: what `path` was before
};

// Used by one thread at a time.
class Unsynced {
 public:
  // `shadow`: a folder for copies; empty: nothing is kept, and nothing can be forgotten.
  explicit Unsynced(std::string shadow) : shadow_(std::move(shadow)) {}

  // Before a file changes.
  void willWrite(int fd) {
    if (shadow_.empty()) return;
    struct stat info {};
    if (::fstat(fd, &info) != 0 || !S_ISREG(info.st_mode)) return;
    const Inode inode{info.st_dev, info.st_ino};
    if (contents_.contains(inode)) return;
    const std::string self = "/proc/self/fd/" + std::to_string(fd);
    Content content{REAL(open)(self.c_str(), O_RDWR | O_CLOEXEC), newName()};
    copy(self, content.saved);
    contents_.emplace(inode, content);
  }

  // After a name was changed.
  void changed(Change change) {
    if (!shadow_.empty()) changes_.push_back(std::move(change));
  }

  // A copy of what a name stands for now, for `saved` of a change; empty: nothing.
  std::string keep(const std::string& path) {
    if (shadow_.empty()) return {};
    const std::string saved = newName();
    return REAL(link)(path.c_str(), saved.c_str()) == 0 ? saved : std::string();
  }

  // After a file or folder was synced.
  void synced(int fd) {
    if (shadow_.empty()) return;
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

  // The files and names become what was last synced.
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

 private:
  using Inode = std::pair<dev_t, ino_t>;
  struct Content {
    int fd;             // to the file, whatever its name is now
    std::string saved;  // a copy of what was last synced
  };

  static std::string parentOf(const std::string& path) { return path.substr(0, path.rfind('/')); }

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

  const std::string shadow_;
  long saved_ = 0;
  std::list<Change> changes_;
  std::map<Inode, Content> contents_;
};

}  // namespace faults
