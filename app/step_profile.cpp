#include "app/step_profile.h"

#include <kineto/ActivityType.h>
#include <torch/csrc/autograd/profiler_kineto.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "app/timing.h"
#include "core/base/log.h"

namespace strata {
namespace {

namespace profiler = torch::autograd::profiler;
using torch::profiler::impl::ActivityType;
using torch::profiler::impl::ProfilerConfig;
using torch::profiler::impl::ProfilerState;

using Interval = std::pair<std::uint64_t, std::uint64_t>;  // ns

struct KernelTotal {
  std::int64_t launches = 0;
  std::uint64_t ns = 0;
};

// The profiler's totals over all updates.
struct Seen {
  std::int64_t operators = 0, launches = 0;
  std::vector<Interval> busy;
  std::map<std::string, KernelTotal> kernels;  // copies and fills, too
};

bool isOf(const profiler::KinetoEvent& event, libkineto::ActivityType type) {
  return event.activityType() == static_cast<std::uint8_t>(type);
}

Seen profiled(const std::function<void()>& work, const torch::Device& device) {
  using Type = libkineto::ActivityType;
  std::set<ActivityType> activities{ActivityType::CPU};
  if (device.is_cuda()) {
    activities.insert(ActivityType::CUDA);
  } else {
    setenv("KINETO_LOG_LEVEL", "99", /*overwrite=*/0);  // it logs warnings without a GPU
  }
  const ProfilerConfig config(ProfilerState::KINETO);
  profiler::prepareProfiler(config, activities);
  profiler::enableProfiler(config, activities);
  work();
  const auto result = profiler::disableProfiler();
  Seen seen;
  for (const auto& event : result->events()) {
    const bool kernel = isOf(event, Type::CONCURRENT_KERNEL);
    if (isOf(event, Type::CPU_OP) && event.name().starts_with("aten::")) ++seen.operators;
    if (kernel) ++seen.launches;
    if (!kernel && !isOf(event, Type::GPU_MEMCPY) && !isOf(event, Type::GPU_MEMSET)) continue;
    seen.busy.emplace_back(event.startNs(), event.endNs());
    KernelTotal& total = seen.kernels[event.name()];
    ++total.launches;
    total.ns += event.endNs() - event.startNs();
  }
  return seen;
}

// Length of the union of the intervals in nanoseconds.
double covered(std::vector<Interval> intervals) {
  std::ranges::sort(intervals);
  std::uint64_t sum = 0, end = 0;
  for (const auto& [from, to] : intervals) {
    if (to > end) sum += to - std::max(from, end);
    end = std::max(end, to);
  }
  return static_cast<double>(sum);
}

// The kernels that took longest.
Json longestOf(const std::map<std::string, KernelTotal>& kernels, int updates) {
  constexpr std::size_t kNamed = 15;
  std::vector<std::pair<std::string, KernelTotal>> sorted(kernels.begin(), kernels.end());
  std::ranges::sort(sorted, std::greater(), [](const auto& kernel) { return kernel.second.ns; });
  if (sorted.size() > kNamed) sorted.resize(kNamed);
  Json longest = Json::array();
  for (const auto& [name, total] : sorted) {
    longest.push_back({{"name", name},
                       {"ms", static_cast<double>(total.ns) / 1e6 / updates},
                       {"launches", static_cast<double>(total.launches) / updates}});
  }
  return longest;
}

}  // namespace

Json profileStep(const std::function<void()>& work, int updates, const torch::Device& device) {
  work();
  const auto begin = BenchClock::now();
  work();
  const double wall = 1e3 * secondsSince(begin) / updates;
  const Seen seen = profiled(work, device);
  Json profile{{"operators", static_cast<double>(seen.operators) / updates},
               {"launches", nullptr},
               {"device_busy_ms", nullptr},
               {"wall_ms", wall},
               {"idle_share", nullptr},
               {"kernels", Json::array()}};
  if (device.is_cpu()) return profile;
  if (seen.launches == 0) {
    spdlog::warn(
        "libtorch's profiler recorded no kernels on {}: is this user allowed to profile it?",
        device.str());
    return profile;
  }
  const double busy = covered(seen.busy) / 1e6 / updates;
  profile["launches"] = static_cast<double>(seen.launches) / updates;
  profile["device_busy_ms"] = busy;
  profile["idle_share"] = std::max(0.0, 1 - busy / wall);
  profile["kernels"] = longestOf(seen.kernels, updates);
  return profile;
}

}  // namespace strata
