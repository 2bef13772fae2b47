#include "core/store/process_id.h"

#include <unistd.h>

#include <fstream>
#include <sstream>

#include "core/base/clock.h"
#include "core/base/files.h"
#include "core/base/host_name.h"

namespace strata {
namespace {

const std::string& bootId() {
  static const std::string id = [] {
    std::string text;
    std::ifstream("/proc/sys/kernel/random/boot_id") >> text;
    return text;
  }();
  return id;
}

// "4026531836" of "pid:[4026531836]".
const std::string& pidNamespace() {
  static const std::string id = [] {
    std::error_code unknown;
    const std::string link = fs::read_symlink("/proc/self/ns/pid", unknown).string();
    const auto open = link.find('[');
    return open == std::string::npos ? std::string()
                                     : link.substr(open + 1, link.size() - open - 2);
  }();
  return id;
}

// The part of "ticks@boot@namespace" from its first '@' on.
std::string_view placeOf(const std::string& process) {
  const auto at = process.find('@');
  return at == std::string::npos ? std::string_view() : std::string_view(process).substr(at);
}

std::string thisKernel() {
  return "@" + bootId() + "@";
}

// `entry`: a number below /proc, or "self", which is correct even if /proc belongs to another
// namespace.
ProcessId processAt(const std::string& entry, std::int64_t pid) {
  ProcessId id{hostName(), pid, ""};
  std::ifstream in("/proc/" + entry + "/stat");
  std::string line;
  if (!std::getline(in, line)) return id;
  // "pid (name) state ppid ...": the name may contain anything, so fields count from its last ')'.
  const auto close = line.rfind(')');
  if (close == std::string::npos) return id;
  std::istringstream fields(line.substr(close + 1));
  std::string state, field;
  fields >> state;
  if (state == "Z" || state == "X") return id;
  constexpr int kStateField = 3, kStartField = 22;
  for (int i = kStateField; i < kStartField; ++i) fields >> field;
  id.process = field + thisKernel() + pidNamespace();
  return id;
}

}  // namespace

ProcessId processOnThisHost(std::int64_t pid) {
  return processAt(std::to_string(pid), pid);
}

ProcessId thisProcess() {
  return processAt("self", ::getpid());
}

bool sharesKernel(const ProcessId& id) {
  return placeOf(id.process).starts_with(thisKernel());
}

bool sharesProcesses(const ProcessId& id) {
  return !pidNamespace().empty() && placeOf(id.process) == thisKernel() + pidNamespace();
}

bool isAlive(const ProcessId& id, double heartbeat) {
  if (id.pid <= 0) return false;
  if (sharesProcesses(id)) return processOnThisHost(id.pid).process == id.process;
  return nowSeconds() - heartbeat < kHeartbeatLimit;
}

}  // namespace strata
