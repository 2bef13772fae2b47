#pragma once
#include <cstdint>
#include <string>

namespace strata {

// A process as others can recognise it: its start, the boot and the namespace tell it from every
// other one with the same number.
struct ProcessId {
  std::string host;
  std::int64_t pid = 0;
  std::string process;  // "ticks@boot@namespace"; empty: there is no such process
};

ProcessId thisProcess();
ProcessId processOnThisHost(std::int64_t pid);

// Whether it counts its processes as this one does: the same boot and the same PID namespace.
bool sharesProcesses(const ProcessId& id);
// Whether it runs, or ran, on this boot of this computer, in whatever container.
bool sharesKernel(const ProcessId& id);

// How long a process that cannot be looked up may be silent before it counts as dead, in seconds.
// Covers clocks that differ.
inline constexpr double kHeartbeatLimit = 120;

// Where its number can be looked up: whether exactly that process runs (a zombie does not).
// Elsewhere: whether its heartbeat (seconds since the Unix epoch) is recent.
bool isAlive(const ProcessId& id, double heartbeat);

}  // namespace strata
