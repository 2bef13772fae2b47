#include "core/run/config_group.h"

#include "core/base/digest.h"

namespace strata {

std::string configurationGroup(const Json& config) {
  Json group = config;
  if (group.is_object()) group.erase("seed");
  return digestOf(group.dump());
}

}  // namespace strata
