#include "core/store/process_id.h"

#include <unistd.h>

#include <array>
#include <fstream>
#include <sstream>

#include "core/store/event_log.h"

namespace strata {
namespace {

const std::string& hostName() {
  static const std::string name = [] {
    std::array<char, 256> buffer{};
    return ::gethostname(buffer.data(), buffer.size() - 1) == 0 ? std::string(buffer.data())
                                                                : std::string("localhost");
  }();
  return name;
}

const std::string& bootId() {
  static const std::string id = [] {
    std::string text;
    std::ifstream("/proc/sys/kernel/random/boot_id") >> text;
    return text;
  }();
  return id;
}

}  // namespace

ProcessId processOnThisHost(std::int64_t pid) {
  ProcessId id{hostName(), pid, ""};
  std::ifstream in("/proc/" + std::to_string(pid) + "/stat");
  std::string line;
  if (!std::getline(in, line)) return id;
  // "pid (name) state ppid ...": the name may hold anything, so fields count from its last ')'.
  const auto close = line.rfind(')');
  if (close == std::string::npos) return id;
  std::istringstream fields(line.substr(close + 1));
  std::string state, field;
  fields >> state;
  if (state == "Z" || state == "X") return id;
  constexpr int kStateField = 3, kStartField = 22;
  for (int i = kStateField; i < kStartField; ++i) fields >> field;
  id.process = field + "@" + bootId();
  return id;
}

ProcessId thisProcess() {
  return processOnThisHost(::getpid());
}

bool isAlive(const ProcessId& id, double heartbeat) {
  if (id.pid <= 0) return false;
  if (id.host == hostName())
    return !id.process.empty() && processOnThisHost(id.pid).process == id.process;
  return nowSeconds() - heartbeat < kHeartbeatLimit;
}

}  // namespace strata
