#include "core/metrics/threads.h"

#include <algorithm>
#include <exception>
#include <thread>
#include <vector>

namespace strata {

void inParts(std::size_t count, std::size_t fewest, int wanted,
             const std::function<void(std::size_t, std::size_t)>& body) {
  const std::size_t most = wanted > 0
                               ? static_cast<std::size_t>(wanted)
                               : std::max<std::size_t>(1, std::thread::hardware_concurrency());
  const std::size_t parts = std::clamp<std::size_t>(count / fewest, 1, most);
  std::vector<std::exception_ptr> failures(parts);
  const auto run = [&](std::size_t part) {
    try {
      body(count * part / parts, count * (part + 1) / parts);
    } catch (...) {
      failures[part] = std::current_exception();
    }
  };
  {
    std::vector<std::jthread> workers;
    for (std::size_t part = 1; part < parts; ++part) workers.emplace_back(run, part);
    run(0);
  }
  for (const std::exception_ptr& failure : failures) {
    if (failure) std::rethrow_exception(failure);
  }
}

}  // namespace strata
