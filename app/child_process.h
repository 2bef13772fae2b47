#pragma once
#include <sys/types.h>

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace strata {

// Another strata-run, started by this one: the same program, in a process group of its own (a
// Ctrl+C in the terminal does not reach it), no input, stdout thrown away, stderr appended to a
// file. It is not ended with this object.
class ChildProcess {
 public:
  // `arguments` without the program's name. Throws when it cannot be started.
  ChildProcess(const std::vector<std::string>& arguments, const std::filesystem::path& errors);

  void signal(int number) const;  // nothing happens when it has ended
  std::optional<int> poll();      // the wait status once it has ended
  std::string lastWords() const;  // the last line that it wrote into the file; at most 1,000 bytes
  // "ended with status 1: ..." or "was killed by signal 9 (Killed): ...".
  static std::string describe(int status, const std::string& lastWords);

 private:
  pid_t pid_ = 0;
  std::optional<int> status_;
  std::filesystem::path errors_;
  std::uintmax_t errorsBefore_ = 0;
};

}  // namespace strata
