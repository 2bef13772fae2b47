#pragma once
#include <string_view>

#include "core/base/string_map.h"

namespace strata {

// The words of a language after which a full stop does not end a sentence (Moses's lists, built
// into the program).
class NonbreakingPrefixes {
 public:
  enum class Kind { kNone, kAlways, kBeforeNumber };

  // A language without its own list uses the English one.
  explicit NonbreakingPrefixes(std::string_view language);

  // `word` without its full stop.
  Kind find(std::string_view word) const {
    const auto found = prefixes_.find(word);
    return found == prefixes_.end() ? Kind::kNone : found->second;
  }

 private:
  StringMap<Kind> prefixes_;
};

}  // namespace strata
