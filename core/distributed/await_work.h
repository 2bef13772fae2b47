#pragma once
#include <torch/csrc/distributed/c10d/Work.hpp>

#include <chrono>
#include <functional>

namespace strata {

// Waits until `work` is done, and throws what it failed with. After every `slice` of time it calls
// `look`, which throws if there is nothing left to wait for.
void awaitWork(c10d::Work& work, std::chrono::milliseconds slice,
               const std::function<void()>& look);

}  // namespace strata
