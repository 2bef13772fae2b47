#pragma once
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "core/base/json.h"

namespace strata {

// Inclusive limits of a number.
struct ValueRange {
  double minimum = -std::numeric_limits<double>::infinity();
  double maximum = std::numeric_limits<double>::infinity();
};

// A mapping that is read key by key: of a YAML document, or a request's parameters. Wrong types,
// values out of range, missing and unknown keys are errors that name the key, `what` is being read
// ("table 'mlrf/table2', row 'Enc-AVG'") and, for a document, file and line. Borrows document and
// value.
class StrictMap {
 public:
  // Throws the error with this message; `path` is the key's, from the root of the tree.
  using Refusal = std::function<void(const std::string& path, const std::string& message)>;
  using Range = ValueRange;

  StrictMap(const YamlDocument& document, std::string path, const Json& value, std::string what);
  StrictMap(Refusal refusal, std::string path, const Json& value, std::string what);

  bool has(const std::string& key);
  // Required if no default is given.
  std::string text(const std::string& key, const std::optional<std::string>& byDefault = {});
  std::int64_t integer(const std::string& key, const std::optional<std::int64_t>& byDefault = {},
                       const Range& range = {});
  double number(const std::string& key, const std::optional<double>& byDefault = {},
                const Range& range = {});
  bool flag(const std::string& key, bool byDefault = false);
  // One of `choices`; the first is the default.
  std::string choice(const std::string& key, const std::vector<std::string>& choices);
  // Lists: a single value counts as a list of one; absent: empty.
  std::vector<std::string> texts(const std::string& key);
  std::vector<double> numbers(const std::string& key);
  std::vector<std::int64_t> integers(const std::string& key, const Range& range = {});
  // A mapping from names to strings or numbers, as written; absent: empty.
  std::vector<std::pair<std::string, Json>> entries(const std::string& key);
  // Mappings below a key; `name` says in errors what each one is.
  std::optional<StrictMap> map(const std::string& key);
  std::vector<StrictMap> maps(const std::string& key, const std::string& name);
  // The number `value` at a path below this map ("printed.test") as the document writes it:
  // "39.40".
  std::string numeral(const std::string& path, const Json& value) const;
  // A value of any type, which must be there.
  const Json& any(const std::string& key);

  std::vector<std::string> keys() const;  // all that the mapping has
  const std::string& what() const { return what_; }
  void rename(std::string what) { what_ = std::move(what); }
  // Throws: "WHAT: 'key' message".
  [[noreturn]] void refuse(const std::string& key, const std::string& message) const;
  // Rejects keys that were never asked for. Call after everything has been read.
  void done() const;

 private:
  const Json* find(const std::string& key);
  template <typename Read>
  auto list(const std::string& key, const Read& read);  // each item as `read` gives it
  StrictMap below(const std::string& path, const Json& value, std::string what) const;
  std::int64_t integerOf(const std::string& key, const Json& value, const Range& range) const;
  double numberOf(const std::string& key, const Json& value, const Range& range) const;

  Refusal refusal_;
  const YamlDocument* document_ = nullptr;  // null: of a request's parameters
  std::string path_;
  const Json* value_;
  std::string what_;
  std::vector<std::string> asked_;
};

}  // namespace strata
