#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/base/json.h"

namespace strata {

// A mapping of a YAML document that is read key by key. Wrong types, missing and unknown keys are
// usage errors that name file, line, key and `what` is being read ("table 'mlrf/table2', row
// 'Enc-AVG'"). Borrows the document.
class StrictMap {
 public:
  StrictMap(const YamlDocument& document, std::string path, const Json& value, std::string what);

  bool has(const std::string& key);
  // Required if no default is given.
  std::string text(const std::string& key, const std::optional<std::string>& byDefault = {});
  std::int64_t integer(const std::string& key, const std::optional<std::int64_t>& byDefault = {});
  double number(const std::string& key, const std::optional<double>& byDefault = {});
  bool flag(const std::string& key, bool byDefault = false);
  // One of `choices`; the first is the default.
  std::string choice(const std::string& key, const std::vector<std::string>& choices);
  // Lists: a single value counts as a list of one; absent: empty.
  std::vector<std::string> texts(const std::string& key);
  std::vector<double> numbers(const std::string& key);
  // A mapping from names to strings or numbers, as written; absent: empty.
  std::vector<std::pair<std::string, Json>> entries(const std::string& key);
  // Mappings below a key; `name` says in errors what each one is.
  std::optional<StrictMap> map(const std::string& key);
  std::vector<StrictMap> maps(const std::string& key, const std::string& name);

  const std::string& what() const { return what_; }
  void rename(std::string what) { what_ = std::move(what); }
  Error wrong(const std::string& key, const std::string& message) const;
  // Rejects keys that were never asked for. Call after everything has been read.
  void done() const;

 private:
  const Json* find(const std::string& key);
  const Json& need(const std::string& key);

  const YamlDocument* document_;
  std::string path_;
  const Json* value_;
  std::string what_;
  std::vector<std::string> asked_;
};

}  // namespace strata
