#pragma once
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "core/base/error.h"
#include "core/store/process_id.h"

namespace strata {

// Who trains a run, or did last.
struct RunOwner {
  std::int64_t epoch = 0;  // counts the processes that took the run
  ProcessId id = {};
  double since = 0;  // seconds since the Unix epoch
};

// Another process has taken the run: nothing may be written to it any more.
class RunTakenOver : public Error {
 public:
  using Error::Error;
};

// A process's exclusive hold on a run, from before it reads what it will continue until it has
// said how it ended. The file `train.lock` in the run's folder names the owner and its epoch. A
// byte of it is locked through the open file, so that the kernel gives it up when the process ends,
// however it ends, and PID namespaces and stopped processes do not matter; network file systems
// pass such locks on to their server. Where a lock does not reach other computers (or was lost on
// the way), the epoch is what stops the process that lost the run: check() compares it.
class RunLock {
 public:
  // Throws an Error that names the owner where the run is held, or may be: an owner on another
  // computer that showed itself within kHeartbeatLimit counts, too.
  explicit RunLock(const std::filesystem::path& runFolder);
  ~RunLock();
  RunLock(RunLock&&) noexcept;
  RunLock& operator=(RunLock&&) = delete;

  // Throws RunTakenOver where the file no longer names this hold. Reads one small file. Any thread.
  void check() const;
  // Shows others that the owner lives. Any thread.
  void beat() const;
  // Gives the run up before the end of the object; nothing where it was taken over.
  void release();

  std::int64_t epoch() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

// Whether a process ever took the run in this folder.
bool hasRunLock(const std::filesystem::path& runFolder);
// Who holds the run, or may; empty: nobody. Writes nothing.
std::optional<RunOwner> holderOf(const std::filesystem::path& runFolder);

}  // namespace strata
