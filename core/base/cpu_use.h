#pragma once

namespace strata {

// Moments of time and CPU time, for differences between two of them. Linux.
struct CpuTimes {
  double wall = 0;  // seconds
  double own = 0;   // core-seconds of this process
  double all = 0;   // core-seconds of all processes on the cores that this one may use; 0: unknown
};
CpuTimes cpuTimes();

int usableCores();  // that this process may use

}  // namespace strata
