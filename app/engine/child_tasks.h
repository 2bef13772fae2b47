#pragma once
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace strata {

// A verb of this program, run in a process of its own.
struct ChildTask {
  std::string name;                    // in messages
  std::vector<std::string> arguments;  // without the program's name
  std::filesystem::path log;           // its messages are appended to it
};

// From now on Ctrl+C and SIGTERM end runTasks(), not the program.
void catchStops();

// Runs the tasks in their order, `atOnce` at a time, and calls `watch` five times a second with the
// number of those that have ended. After a failure no further one starts; when the others have
// ended, an Error names the first that failed. A signal is forwarded to those that run; then
// CLI::RuntimeError(kTerminated) is thrown.
void runTasks(const std::vector<ChildTask>& tasks, int atOnce,
              const std::function<void(std::size_t ended)>& watch);

}  // namespace strata
