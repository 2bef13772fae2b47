#include "core/base/system_use.h"

#include <array>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <sstream>

#include "core/base/threads.h"

namespace strata {
namespace {

std::string textOf(const char* path) {
  std::ifstream in(path);
  return {std::istreambuf_iterator<char>(in), {}};
}

// "MemTotal:  8000 kB" -> 8192000.
std::uintmax_t memoryLine(std::string_view meminfo, std::string_view name) {
  const auto at = meminfo.find(name);
  if (at == std::string_view::npos) return 0;
  return std::strtoull(std::string(meminfo.substr(at + name.size(), 32)).c_str(), nullptr, 10) *
         1024;
}

std::string trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(" \t\r"), last = text.find_last_not_of(" \t\r");
  return first == std::string_view::npos ? std::string()
                                         : std::string(text.substr(first, last - first + 1));
}

double numberOrNaN(const std::string& text) {
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  return end == text.c_str() ? std::numeric_limits<double>::quiet_NaN() : value;
}

}  // namespace

CpuTicks cpuTicksFrom(std::string_view procStat) {
  std::istringstream in{std::string(procStat.substr(0, procStat.find('\n')))};
  std::string name;
  in >> name;
  if (name != "cpu") return {};
  CpuTicks ticks;
  std::int64_t value = 0;
  // user, nice, system, idle, iowait, irq, softirq, steal; guest times are part of user.
  for (int field = 0; field < 8 && in >> value; ++field) {
    ticks.total += value;
    if (field != 3 && field != 4) ticks.busy += value;
  }
  return ticks;
}

double busyShare(const CpuTicks& before, const CpuTicks& now) {
  if (now.total <= before.total) return std::numeric_limits<double>::quiet_NaN();
  return static_cast<double>(now.busy - before.busy) /
         static_cast<double>(now.total - before.total);
}

SystemUse SystemUseReader::read(const std::filesystem::path& folder) {
  SystemUse use;
  use.cores = availableCores();
  std::array<double, 1> load{};
  if (::getloadavg(load.data(), 1) == 1) use.load = load[0];
  const CpuTicks now = cpuTicksFrom(textOf("/proc/stat"));
  if (before_) use.cpuShare = busyShare(*before_, now);
  before_ = now;
  const std::string meminfo = textOf("/proc/meminfo");
  use.memoryBytes = memoryLine(meminfo, "MemTotal:");
  use.memoryUsedBytes = use.memoryBytes - memoryLine(meminfo, "MemAvailable:");
  std::error_code failed;
  const auto space = std::filesystem::space(folder, failed);
  if (!failed) {
    use.diskBytes = space.capacity;
    use.diskFreeBytes = space.available;
  }
  return use;
}

std::vector<GpuUse> gpuUseFrom(std::string_view text) {
  std::vector<GpuUse> gpus;
  std::istringstream lines{std::string(text)};
  for (std::string line; std::getline(lines, line);) {
    std::vector<std::string> fields;
    std::istringstream parts(line);
    for (std::string part; std::getline(parts, part, ',');) fields.push_back(trimmed(part));
    if (fields.size() != 4) continue;
    const GpuUse gpu{fields[0], numberOrNaN(fields[1]) / 100, numberOrNaN(fields[2]),
                     numberOrNaN(fields[3])};
    if (gpu.totalMib > 0) gpus.push_back(gpu);
  }
  return gpus;
}

}  // namespace strata
