// What the shown table of a paper and its exports both take from the measured one.
#pragma once
#include <optional>
#include <string>

#include "core/papers/measured_table.h"

namespace strata {

// The column whose gains are tested.
std::size_t headlineOf(const PaperTable& table);
std::optional<double> printedAt(const PaperRow& row, const std::string& column);
// What the paper's figures say of a row against its baseline.
std::optional<double> printedGain(const PaperTable& table, const PaperRow& row,
                                  const std::string& column);
// Whether the test bears out the paper. Where the paper prints a loss, a loss does.
Direction directionOf(const RunsComparison& gain, const std::optional<double>& printed);

}  // namespace strata
