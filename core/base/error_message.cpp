#include "core/base/error_message.h"

#include "core/base/error.h"

namespace strata {

std::string messageOf(const std::exception& error) {
  const std::string text = error.what();
  return dynamic_cast<const Error*>(&error) != nullptr ? text : text.substr(0, text.find('\n'));
}

}  // namespace strata
