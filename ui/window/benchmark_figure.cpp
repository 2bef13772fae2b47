#include "ui/window/benchmark_figure.h"

#include <algorithm>

namespace strata::ui {

Json jsonOf(const BenchmarkFigure& figure) {
  std::vector<double> times = figure.times;
  std::ranges::sort(times);
  const auto within = std::ranges::count_if(times, [&](double t) { return t <= figure.limit; });
  Json json{{"what", figure.what}, {"times", times.size()},
            {"min", nullptr},      {"median", nullptr},
            {"max", nullptr},      {"limit", figure.limit},
            {"within", within},    {"kept", !times.empty() && within == std::ssize(times)}};
  if (!times.empty()) {
    const std::size_t middle = times.size() / 2;
    json["min"] = times.front();
    json["median"] =
        times.size() % 2 == 1 ? times[middle] : (times[middle - 1] + times[middle]) / 2;
    json["max"] = times.back();
  }
  json.update(figure.details);
  return json;
}

}  // namespace strata::ui
