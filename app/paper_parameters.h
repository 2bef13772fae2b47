#pragma once
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/data/dataset.h"
#include "core/run/paper_table.h"

namespace strata {

// Parameters of a preset for these vocabularies; none where there is no such preset.
std::optional<std::int64_t> parametersOf(const std::string& preset,
                                         const std::vector<std::string>& overrides,
                                         const VocabularySizes& vocabulary);

// Of a row's preset and, by key, of columns that change the preset or have vocabularies of their
// own.
struct RowParameters {
  std::optional<std::int64_t> row;
  std::map<std::string, std::int64_t> columns = {};
};
struct RowCounting {
  std::vector<std::string> overrides;
  std::function<std::string(const std::string& columnSuffix)> preset;
  std::function<VocabularySizes(const PaperColumn& column)> sizes;
};
RowParameters parametersOf(const PaperTable& table, const RowCounting& counting);

VocabularySizes sizesOf(const Dataset& dataset);

}  // namespace strata
