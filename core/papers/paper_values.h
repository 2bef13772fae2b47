// What the shown table of a paper and its exports write.
#pragma once
#include <optional>
#include <string>

#include "core/papers/measured_table.h"

namespace strata {

// As many decimals as papers print: two below 1,000, none above.
NumberStyle paperStyle(double value);
inline std::string figureText(double value) {
  return numberText(value, paperStyle(value));
}

// A row in a column: what the paper prints and what was measured.
struct PaperCell {
  std::optional<double> printed = {};
  std::optional<double> recomputed = {};   // PaperTable::recomputed
  std::optional<double> printedGain = {};  // over the row's baseline, from the printed values
  MeasuredCell measured = {};              // empty for quoted rows
  std::optional<double> mean = {}, deviation = {};
  std::optional<double> difference = {};  // mean - printed, measured with the paper's setup
  // Whether the test confirms the paper. If the paper prints a loss, a loss confirms it.
  std::optional<Direction> direction = {};
};
PaperCell paperCell(const MeasuredTable& measured, std::size_t row, std::size_t column);

}  // namespace strata
