#pragma once
#include <cstdint>
#include <filesystem>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace strata {

// How busy this computer is.
struct SystemUse {
  int cores = 0;                                               // that this process may use
  double load = std::numeric_limits<double>::quiet_NaN();      // runnable processes, mean of 1 min
  double cpuShare = std::numeric_limits<double>::quiet_NaN();  // of all cores, 0 .. 1
  std::uintmax_t memoryBytes = 0, memoryUsedBytes = 0;         // 0: unknown
  std::uintmax_t diskBytes = 0, diskFreeBytes = 0;             // of a folder's file system
};

// Counts of processor time since the computer started, in ticks.
struct CpuTicks {
  std::int64_t busy = 0, total = 0;
};
// From the text of /proc/stat; zeros if it is another text.
CpuTicks cpuTicksFrom(std::string_view procStat);
// Of the time between two counts; NaN if no time has passed.
double busyShare(const CpuTicks& before, const CpuTicks& now);

// Reads this computer's use; the share of its processors is that since the last call.
class SystemUseReader {
 public:
  SystemUse read(const std::filesystem::path& folder);

 private:
  std::optional<CpuTicks> before_;
};

// A GPU as nvidia-smi reports it.
struct GpuUse {
  std::string name;
  double share = 0;  // of the time busy, 0 .. 1; NaN: not reported
  double usedMib = 0, totalMib = 0;
  bool operator==(const GpuUse&) const = default;
};
// What to ask nvidia-smi for, and its answer. Lines that are no GPU are left out.
inline constexpr const char* kGpuQuery =
    "--query-gpu=name,utilization.gpu,memory.used,memory.total";
inline constexpr const char* kGpuFormat = "--format=csv,noheader,nounits";
std::vector<GpuUse> gpuUseFrom(std::string_view text);

}  // namespace strata
