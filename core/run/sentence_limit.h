#pragma once
#include <cstdint>
#include <string>

namespace strata {

// The longest sentence, of either side, that a model has positions for.
struct SentenceLimit {
  std::int64_t tokens = 0;  // </s> included
  std::string key = {};     // of the configuration, which raises it: "model.position_rows"
  std::int64_t value = 0;   // of that key; one more of it allows one token more

  // What the key must be for sentences of so many tokens.
  std::int64_t valueFor(std::int64_t length) const { return value + length - tokens; }
};

}  // namespace strata
