#include "core/curves/tool_run.h"

#include <algorithm>
#include <array>

#include "core/run/series_direction.h"

namespace strata {
namespace {

std::string lowerCase(std::string text) {
  std::ranges::transform(text, text.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  return text;
}

}  // namespace

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
  const auto first = [&](std::string_view part, std::string_view end, bool known) {
    const auto found = std::ranges::find_if(curves, [&](const Curve& curve) {
      const std::string name = lowerCase(curve.name);
      return name.find(part) != std::string::npos && name.ends_with(end) &&
             (!known || directionOf(name) != SeriesDirection::kUnknown);
    });
    return found == curves.end() ? std::string() : found->name;
  };
  struct Choice {
    std::string_view part, end;
    bool known = false;
  };
  constexpr std::array<Choice, 11> kBestFirst{{{"valid", "nll"},
                                               {"valid", "loss"},
                                               {"val", "loss"},
                                               {"dev", "loss"},
                                               {"eval", "loss"},
                                               {"", "loss"},
                                               {"val", "", true},
                                               {"dev", "", true},
                                               {"test", "", true},
                                               {"", "", true},
                                               {"", ""}}};
  for (const Choice& choice : kBestFirst) {
    if (std::string name = first(choice.part, choice.end, choice.known); !name.empty()) return name;
  }
  return {};
}

}  // namespace strata
