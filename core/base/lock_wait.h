#pragma once
#include <chrono>
#include <filesystem>
#include <optional>
#include <string>

#include "core/base/open_file.h"

namespace strata {

// A process that is stopped (SIGSTOP, a frozen container) keeps its locks for as long as it is:
// nobody waits for it without a word.
struct LockWait {
  std::chrono::milliseconds silent{5'000};  // then a warning says who is waited for
  std::optional<std::chrono::milliseconds> limit =
      std::chrono::milliseconds{20'000};  // none: for ever
};

// flock(2) with `operation`, for as long as somebody else has the lock. Returns at once where the
// file system has no locks. Throws an Error that names the file, and its owner if the system knows,
// after `limit`.
void waitForLock(const OpenFile& file, int operation, const LockWait& wait = {});

// "process 1234, which is stopped", of whoever has a flock(2) on the file and blocks others; empty
// if it is not known (in another PID namespace, on another computer).
std::string lockOwner(const OpenFile& file);

// Likewise of whoever has an fcntl(2) lock for writing on any part of the file at `path`, as
// SQLite's writers do.
std::string writeLockOwner(const std::filesystem::path& path);

}  // namespace strata
