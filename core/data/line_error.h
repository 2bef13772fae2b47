#pragma once
#include "core/base/error.h"

namespace strata {

// A line that is no text. Reading can go on with the next one.
class LineError : public Error {
 public:
  enum class Kind { kUtf8, kNul };
  LineError(Kind kind, const std::string& message) : Error(message), badKind_(kind) {}
  Kind badKind() const { return badKind_; }

 private:
  Kind badKind_;
};

}  // namespace strata
