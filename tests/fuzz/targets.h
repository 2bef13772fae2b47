#pragma once
#include <span>
#include <string_view>

// The readers of files and messages that may come from elsewhere. Each is given any bytes, and has
// to end with a value or an Error, within the limits that it names: nothing else may come out of
// it.
namespace strata::fuzz {

struct Target {
  const char* name;  // its seeds are in seeds/NAME
  void (*read)(std::string_view bytes);
};
std::span<const Target> targets();

}  // namespace strata::fuzz
