#pragma once
// Processes of a group, here as threads of the test, which have connections of their own.
#include <chrono>
#include <exception>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "core/base/error.h"
#include "core/base/error_message.h"
#include "core/distributed/local_address.h"
#include "core/distributed/process_group.h"

namespace strata::testing {

// Runs `body` as each process of a group of `size`; returns what each threw, empty for nothing.
inline std::vector<std::string> together(int size, const std::function<void(ProcessGroup&)>& body,
                                         double timeout = 20) {
  const int port = freePort();
  std::vector<std::string> errors(static_cast<std::size_t>(size));
  std::vector<std::thread> threads;
  for (int rank = 0; rank < size; ++rank) {
    threads.emplace_back([&, rank] {
      try {
        ProcessGroup group({.rank = rank,
                            .size = size,
                            .address = "127.0.0.1",
                            .port = port,
                            .program = "test",
                            .timeout = std::chrono::duration<double>(timeout)});
        body(group);
      } catch (const std::exception& error) {
        errors[static_cast<std::size_t>(rank)] = messageOf(error);
      }
    });
  }
  for (auto& thread : threads) thread.join();
  return errors;
}

}  // namespace strata::testing
