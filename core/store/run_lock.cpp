#include "core/store/run_lock.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <utility>

#include "core/base/files.h"
#include "core/base/open_file.h"
#include "core/base/text_limits.h"
#include "core/store/database.h"
#include "core/store/event_log.h"

namespace strata {
namespace {

// Far beyond the text: where locks are mandatory (SMB), the text stays readable.
constexpr off_t kLockedByte = 1 << 30;
constexpr std::size_t kMaxText = 4096;

fs::path lockFileOf(const fs::path& runFolder) {
  return runFolder / "train.lock";
}

// The file of a run's lock. It locks one byte, through the open file description, so that the lock
// also excludes this process's other threads, and works on network file systems.
class LockFile : public OpenFile {
 public:
  using OpenFile::OpenFile;

  std::string text() const {
    std::array<char, kMaxText> buffer{};
    return {buffer.data(), readAt(0, buffer.data(), buffer.size())};
  }

  void replaceText(const std::string& text) const {
    const auto bytes = static_cast<ssize_t>(text.size());
    if (::pwrite(fd(), text.data(), text.size(), 0) != bytes) throw failure("write");
    cut(text.size());
    sync();
  }

  // Time of the last write or heartbeat, seconds since the Unix epoch.
  double modified() const {
    struct stat info {};
    if (::fstat(fd(), &info) != 0) throw failure("read");
    return static_cast<double>(info.st_mtim.tv_sec) +
           static_cast<double>(info.st_mtim.tv_nsec) / 1e9;
  }

  // True: taken. False: another open file has it.
  bool tryLock() const {
    struct flock range = lockedByte(F_WRLCK);
    if (::fcntl(fd(), F_OFD_SETLK, &range) == 0) return true;
    if (errno == EAGAIN || errno == EACCES) return false;
    throw failure("lock");
  }

  void unlock() const {
    struct flock range = lockedByte(F_UNLCK);
    (void)::fcntl(fd(), F_OFD_SETLK, &range);
  }

  bool isLocked() const {
    struct flock range = lockedByte(F_WRLCK);
    if (::fcntl(fd(), F_OFD_GETLK, &range) != 0) throw failure("look at the lock of");
    return range.l_type != F_UNLCK;
  }

 private:
  static struct flock lockedByte(short type) {
    struct flock range {};
    range.l_type = type;
    range.l_whence = SEEK_SET;
    range.l_start = kLockedByte;
    range.l_len = 1;
    return range;
  }
};

struct Entry {
  RunOwner owner;
  bool held = false;
};

std::string textOf(const Entry& entry) {
  const RunOwner& owner = entry.owner;
  return Json{{"epoch", owner.epoch}, {"held", entry.held},          {"host", owner.id.host},
              {"pid", owner.id.pid},  {"process", owner.id.process}, {"since", owner.since}}
             .dump() +
         "\n";
}

// Text that a crash made unreadable names no owner.
Entry entryFrom(const std::string& text) {
  const Json json = tryParseJson(text).value_or(nullptr);
  if (!json.is_object()) return {};
  try {
    return {.owner = {.epoch = json.at("epoch"),
                      .id = {json.at("host"), json.at("pid"), json.at("process")},
                      .since = json.at("since")},
            .held = json.at("held")};
  } catch (const Json::exception&) {
    return {};
  }
}

// Whether an owner without a lock may still be alive: on another computer, whose locks may be
// invisible here, with a recent heartbeat. On a local disk, an owner on the same host is gone: the
// host has rebooted.
bool mayBeAlive(const LockFile& file, const Entry& entry, const fs::path& runFolder) {
  if (!entry.held || sharesKernel(entry.owner.id)) return false;
  if (entry.owner.id.host == thisProcess().host && !isNetworkFileSystem(runFolder)) return false;
  return nowSeconds() - file.modified() < kHeartbeatLimit;
}

std::string nameOf(const RunOwner& owner) {
  if (owner.id.pid == 0) return "another process";
  return fmt::format("process {} on {}", owner.id.pid, owner.id.host);
}

}  // namespace

struct RunLock::Hold {
  explicit Hold(const fs::path& path) : file(path, O_RDWR | O_CREAT) {}

  LockFile file;
  Entry entry;
  std::string text;  // of the file, as this process wrote it
  bool released = false;
};

RunLock::RunLock(const fs::path& runFolder) : hold_(std::make_unique<Hold>(lockFileOf(runFolder))) {
  const LockFile& file = hold_->file;
  if (!file.isOpen()) throw file.failure("open");
  const bool taken = file.tryLock();
  const Entry before = entryFrom(file.text());
  if (!taken) {
    throw Error("the run in {} is trained by {} already: stop that one first", runFolder.string(),
                nameOf(before.owner));
  }
  if (mayBeAlive(file, before, runFolder)) {
    throw Error(
        "the run in {} was trained by {} {:.0f} s ago, which may still be running where this "
        "computer cannot see it: stop that one, or try again when it has been silent for {:.0f} "
        "s",
        runFolder.string(), nameOf(before.owner), nowSeconds() - file.modified(), kHeartbeatLimit);
  }
  hold_->entry = {
      .owner = {.epoch = before.owner.epoch + 1, .id = thisProcess(), .since = nowSeconds()},
      .held = true};
  hold_->text = textOf(hold_->entry);
  file.replaceText(hold_->text);
  syncToDisk(runFolder);
}

RunLock::~RunLock() {
  release();
}
RunLock::RunLock(RunLock&&) noexcept = default;

// By its path, which a process that takes the run opens: on a network file system that fetches what
// another computer wrote.
void RunLock::check() const {
  const LockFile now(hold_->file.path(), O_RDONLY);
  if (now.isOpen() && now.text() == hold_->text) return;
  if (!now.isOpen() && errno != ENOENT) throw now.failure("open");
  const std::string who = now.isOpen() ? nameOf(entryFrom(now.text()).owner) : "somebody";
  throw RunTakenOver(
      "{} has taken over the run while this process was silent ({}): nothing more "
      "is written to it",
      who, now.path().string());
}

void RunLock::beat() const {
  (void)::futimens(hold_->file.fd(), nullptr);
}

void RunLock::release() {
  if (hold_ == nullptr || std::exchange(hold_->released, true)) return;
  try {
    check();
    hold_->entry.held = false;
    hold_->file.replaceText(textOf(hold_->entry));
  } catch (const Error&) {
    // Owned by another process, or unreachable: this process must not change the file.
  }
  hold_->file.unlock();
}

std::int64_t RunLock::epoch() const {
  return hold_->entry.owner.epoch;
}

bool hasRunLock(const fs::path& runFolder) {
  return fs::exists(lockFileOf(runFolder));
}

std::optional<RunOwner> holderOf(const fs::path& runFolder) {
  const LockFile file(lockFileOf(runFolder), O_RDONLY);
  if (!file.isOpen()) {
    if (errno == ENOENT) return {};
    throw file.failure("open");
  }
  const Entry entry = entryFrom(file.text());
  if (file.isLocked() || mayBeAlive(file, entry, runFolder)) return entry.owner;
  return {};
}

}  // namespace strata
