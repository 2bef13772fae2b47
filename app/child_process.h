#pragma once
#include <sys/types.h>

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace strata {

struct ChildStreams {
  std::filesystem::path errorFile;  // stderr is appended to it; empty: stderr goes to `errors`
  int output = -1, errors = -1;     // descriptors for stdout and stderr; -1: discarded
  int input = -1;                   // for stdin; -1: no input
  int kept = -1;                    // a descriptor that it has, too; -1: none
  bool ownGroup = true;             // a Ctrl+C in the terminal does not reach it
};

// A child process running the same program. Destroying the object does not end the
// process.
class ChildProcess {
 public:
  // `arguments` without the program's name. Throws when it cannot be started.
  ChildProcess(const std::vector<std::string>& arguments, const ChildStreams& streams);

  void signal(int number) const;      // no effect once it has ended
  std::optional<int> poll();          // the wait status once it has ended
  int wait();                         // waits for its end; the wait status
  std::string lastErrorLine() const;  // its last line in errorFile; at most 1,000 bytes
  // "ended with status 1: ..." or "was killed by signal 9 (Killed): ...".
  static std::string describe(int status, const std::string& lastErrorLine);

 private:
  void await(int options);  // those of waitpid()

  pid_t pid_ = 0;
  std::optional<int> status_;
  std::filesystem::path errorFile_;
  std::uintmax_t errorsBefore_ = 0;  // bytes of errorFile_ that were there before it
};

}  // namespace strata
