#include "core/base/cpu_use.h"

#include <sched.h>
#include <unistd.h>

#include <chrono>
#include <ctime>
#include <fstream>
#include <sstream>
#include <string>

namespace strata {
namespace {

cpu_set_t allowedCores() {
  cpu_set_t cores;
  CPU_ZERO(&cores);
  sched_getaffinity(0, sizeof(cores), &cores);
  return cores;
}

// Busy time of the allowed cores: the lines "cpuN user nice system idle iowait irq softirq steal"
// of /proc/stat, in ticks.
double busySeconds() {
  const cpu_set_t allowed = allowedCores();
  std::ifstream file("/proc/stat");
  double ticks = 0;
  for (std::string line; std::getline(file, line) && line.starts_with("cpu");) {
    std::istringstream words(line);
    std::string name;
    words >> name;
    if (name.size() < 4) continue;  // the sum over all cores
    const int core = std::stoi(name.substr(3));
    if (core >= CPU_SETSIZE || !CPU_ISSET(core, &allowed)) continue;
    double value = 0;
    for (int column = 0; column < 8 && words >> value; ++column) {
      if (column != 3 && column != 4) ticks += value;  // not idle, not waiting for a disk
    }
  }
  return ticks / static_cast<double>(sysconf(_SC_CLK_TCK));
}

}  // namespace

CpuTimes cpuTimes() {
  timespec own{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &own);
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return {.wall = std::chrono::duration<double>(now).count(),
          .own = static_cast<double>(own.tv_sec) + 1e-9 * static_cast<double>(own.tv_nsec),
          .all = busySeconds()};
}

int usableCores() {
  const cpu_set_t allowed = allowedCores();
  return CPU_COUNT(&allowed);
}

}  // namespace strata
