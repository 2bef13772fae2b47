#pragma once
#include <cstdint>
#include <string>

namespace strata {

// Identifies a process for others: start time, boot and namespace distinguish it from every other
// process with the same number.
struct ProcessId {
  std::string host;
  std::int64_t pid = 0;
  std::string process;  // "ticks@boot@namespace"; empty: no such process
};

ProcessId thisProcess();
ProcessId processOnThisHost(std::int64_t pid);

// Whether its PIDs are valid in this process: the same boot and the same PID namespace.
bool sharesProcesses(const ProcessId& id);
// Whether it runs, or ran, on this boot of this computer, in any container.
bool sharesKernel(const ProcessId& id);

// How long a process that cannot be looked up may be silent before it counts as dead, in seconds.
// Allows for clock differences.
inline constexpr double kHeartbeatLimit = 120;

// If its PID can be looked up: whether exactly that process runs (a zombie does not). Otherwise:
// whether its heartbeat (seconds since the Unix epoch; 0: it has none) is recent.
bool isAlive(const ProcessId& id, double heartbeat = 0);

}  // namespace strata
