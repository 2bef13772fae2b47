#pragma once
#include <cstdint>
#include <string>

namespace strata {

// A process as others can recognise it: the start time and the boot tell it from a later one with
// the same pid.
struct ProcessId {
  std::string host;
  std::int64_t pid = 0;
  std::string process;  // "ticks@boot"; empty: there is no such process
};

ProcessId thisProcess();
ProcessId processOnThisHost(std::int64_t pid);

// How long a process of another host may be silent before it counts as dead, in seconds. Covers
// clocks that differ.
inline constexpr double kHeartbeatLimit = 120;

// On this host: whether exactly that process runs (a zombie does not). On another one: whether its
// heartbeat (seconds since the Unix epoch) is recent.
bool isAlive(const ProcessId& id, double heartbeat);

}  // namespace strata
