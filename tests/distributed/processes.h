#pragma once
// Processes of a group, here as threads of the test, which have connections of their own.
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <exception>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "core/base/error.h"
#include "core/base/error_message.h"
#include "core/distributed/process_group.h"

namespace strata::testing {

// A port of the loopback that is free now.
inline int freePort() {
  const int handle = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  auto* any = reinterpret_cast<sockaddr*>(&address);
  const bool bound = bind(handle, any, size) == 0 && getsockname(handle, any, &size) == 0;
  close(handle);
  return bound ? ntohs(address.sin_port) : 0;
}

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
