#include "core/curves/tool_run.h"

#include <algorithm>
#include <array>

namespace strata {

std::int64_t ToolRun::points() const {
  std::int64_t sum = 0;
  for (const Curve& curve : curves) sum += std::ssize(curve.points);
  return sum;
}

std::int64_t ToolRun::firstStep() const {
  std::int64_t first = -1;
  for (const Curve& curve : curves)
    first = first < 0 ? curve.firstStep() : std::min(first, curve.firstStep());
  return first;
}

std::int64_t ToolRun::lastStep() const {
  std::int64_t last = -1;
  for (const Curve& curve : curves) last = std::max(last, curve.points.back().step);
  return last;
}

std::string ToolRun::metric() const {
  const auto has = [&](std::string_view part, std::string_view end) {
    return std::ranges::find_if(curves, [&](const Curve& curve) {
      return curve.name.find(part) != std::string::npos && curve.name.ends_with(end);
    });
  };
  constexpr std::array<std::array<std::string_view, 2>, 6> kBestFirst{{{"valid", "nll"},
                                                                       {"valid", "loss"},
                                                                       {"val", "loss"},
                                                                       {"dev", "loss"},
                                                                       {"eval", "loss"},
                                                                       {"", "loss"}}};
  for (const auto& [part, end] : kBestFirst) {
    if (const auto found = has(part, end); found != curves.end()) return found->name;
  }
  return curves.empty() ? std::string() : curves.front().name;
}

}  // namespace strata
