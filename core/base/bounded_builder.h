#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/base/json.h"
#include "core/base/text_limits.h"

namespace strata {

// Builds a value from the events of a parser. Throws LimitError before it takes more than the
// limits allow.
class BoundedBuilder {
 public:
  explicit BoundedBuilder(const TextLimits& limits) : limits_(limits) {}

  void scalar(Json value) { place(std::move(value)); }
  void open(Json container);  // empty; what follows is in it until close()
  void close() { open_.pop_back(); }
  // Names the next value of the object that is open. False where that has the key already; the next
  // value then replaces the one before.
  bool key(const std::string& name);
  Json take() { return std::move(root_); }

 private:
  struct Open {
    Json* value;
    Json* next = nullptr;                                      // in an object: of the newest key
    std::unordered_map<std::string, std::size_t> places = {};  // of the keys, where they are many
  };
  void count();
  Json& place(Json value);

  TextLimits limits_;
  Json root_;
  std::vector<Open> open_;
  std::int64_t values_ = 0;
};

}  // namespace strata
