#include "core/base/host_name.h"

#include <unistd.h>

#include <array>

namespace strata {

const std::string& hostName() {
  static const std::string name = [] {
    std::array<char, 256> buffer{};
    return ::gethostname(buffer.data(), buffer.size() - 1) == 0 ? std::string(buffer.data())
                                                                : std::string("localhost");
  }();
  return name;
}

}  // namespace strata
