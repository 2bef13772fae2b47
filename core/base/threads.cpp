#include "core/base/threads.h"

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <exception>
#include <thread>
#include <vector>

namespace strata {

int availableCores() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof(set), &set) == 0) return std::max(1, CPU_COUNT(&set));
  return std::max<int>(1, static_cast<int>(sysconf(_SC_NPROCESSORS_ONLN)));
}

void inParts(std::size_t count, std::size_t fewest, int wanted,
             const std::function<void(std::size_t, std::size_t)>& body) {
  const auto most = static_cast<std::size_t>(wanted > 0 ? wanted : availableCores());
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

void inParallel(std::size_t count, int wanted, const std::function<void(std::size_t)>& body) {
  inParts(count, 1, wanted, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) body(i);
  });
}

}  // namespace strata
