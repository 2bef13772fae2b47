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

// Builds a value from a parser's events. Throws LimitError before it exceeds the limits.
class BoundedBuilder {
 public:
  explicit BoundedBuilder(const TextLimits& limits) : limits_(limits) {}

  void scalar(Json value) { place(std::move(value)); }
  void open(Json container);  // empty; what follows belongs to it until close()
  void close() { open_.pop_back(); }
  // Names the next value of the open object. False if the object already has the key; the next
  // value then replaces the earlier one.
  bool key(const std::string& name);
  Json take() { return std::move(root_); }

 private:
  struct Open {
    Json* value;
    Json* next = nullptr;  // in an object: value of the newest key
    std::unordered_map<std::string, std::size_t> places = {};  // index by key, if many
  };
  void count();
  Json& place(Json value);

  TextLimits limits_;
  Json root_;
  std::vector<Open> open_;
  std::int64_t values_ = 0;
};

}  // namespace strata
