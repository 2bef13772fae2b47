#pragma once
#include <fmt/format.h>

#include <stdexcept>
#include <string>
#include <utility>

namespace strata {

// What went wrong decides the exit status: a usage error (wrong option, key or value) is 2, a limit
// of time that the user set 124, any other failure 1. Divergence: training met numbers that are not
// finite. Interruption: another process that it needs is gone; what was saved can be continued.
enum class ErrorKind { kFailure, kUsage, kDivergence, kInterruption, kTimeout };

// The project's only exception, for everything that a user can cause. The message says what is
// wrong, where (file, line, key, step) and what to do. It is caught only at the boundary of a
// command, a job or a request.
class Error : public std::runtime_error {
 public:
  explicit Error(const std::string& message, ErrorKind kind = ErrorKind::kFailure)
      : std::runtime_error(message), kind_(kind) {}

  template <typename First, typename... Rest>
  Error(fmt::format_string<First, Rest...> format, First&& first, Rest&&... rest)
      : Error(fmt::format(format, std::forward<First>(first), std::forward<Rest>(rest)...)) {}

  ErrorKind kind() const { return kind_; }

 private:
  ErrorKind kind_;
};

// An error in usage or configuration.
template <typename... Args>
Error usageError(fmt::format_string<Args...> format, Args&&... args) {
  return Error(fmt::format(format, std::forward<Args>(args)...), ErrorKind::kUsage);
}

template <typename... Args>
Error divergenceError(fmt::format_string<Args...> format, Args&&... args) {
  return Error(fmt::format(format, std::forward<Args>(args)...), ErrorKind::kDivergence);
}

template <typename... Args>
Error interruptionError(fmt::format_string<Args...> format, Args&&... args) {
  return Error(fmt::format(format, std::forward<Args>(args)...), ErrorKind::kInterruption);
}

template <typename... Args>
Error timeoutError(fmt::format_string<Args...> format, Args&&... args) {
  return Error(fmt::format(format, std::forward<Args>(args)...), ErrorKind::kTimeout);
}

inline bool isOfKind(const std::exception& error, ErrorKind kind) {
  const auto* ours = dynamic_cast<const Error*>(&error);
  return ours != nullptr && ours->kind() == kind;
}

}  // namespace strata
