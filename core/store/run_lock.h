#pragma once
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "core/base/error.h"
#include "core/store/process_id.h"

namespace strata {

// The process that trains a run, or did last.
struct RunOwner {
  std::int64_t epoch = 0;  // counts the processes that took the run
  ProcessId id = {};
  double since = 0;  // seconds since the Unix epoch
};

// Another process has taken over the run: nothing may be written to it any more.
class RunTakenOver : public Error {
 public:
  using Error::Error;
};

// A process's exclusive hold on a run, from before it reads the state to continue from until it has
// recorded how it ended. The file `train.lock` in the run's folder names the owner and its epoch.
// One byte of it is locked through the open file, so that the kernel releases it when the process
// ends, in whatever way, and PID namespaces and stopped processes do not matter; network file
// systems pass such locks on to their server. If a lock does not reach other computers (or was
// lost), the epoch stops the process that lost the run: check() compares it.
class RunLock {
 public:
  // Throws an Error that names the owner if the run is held, or may be: an owner on another
  // computer with a heartbeat within kHeartbeatLimit counts too.
  explicit RunLock(const std::filesystem::path& runFolder);
  ~RunLock();
  RunLock(RunLock&&) noexcept;
  RunLock& operator=(RunLock&&) = delete;

  // Throws RunTakenOver if the file no longer names this hold. Reads one small file. Any thread.
  void check() const;
  // Heartbeat: shows others that the owner is alive. Any thread.
  void beat() const;
  // Releases the run before the destructor does; does nothing if it was taken over.
  void release();

  std::int64_t epoch() const;

 private:
  struct Hold;
  std::unique_ptr<Hold> hold_;  // null: moved to another object
};

// Whether the run in this folder was ever held by a process.
bool hasRunLock(const std::filesystem::path& runFolder);
// The process that holds the run, or may; empty: none. Writes nothing.
std::optional<RunOwner> holderOf(const std::filesystem::path& runFolder);

}  // namespace strata
