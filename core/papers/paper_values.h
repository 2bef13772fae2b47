// What the shown table of a paper and its exports write.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "core/papers/measured_table.h"

namespace strata {

// Of what is measured: as many decimals as most papers print, two below 1,000, none above.
NumberStyle paperStyle(double value);
inline std::string figureText(double value) {
  return numberText(value, paperStyle(value));
}

// Names of what is counted for the same vocabularies; without names: everything else.
struct CountedFor {
  VocabularySizes sizes;
  std::vector<std::string> names = {};
};
// "Parameters are counted for vocabularies (source/target) of 8848/6632; of 30000/30000 in Tr-En."
std::string textOf(const std::vector<CountedFor>& counted);
// Adds a name to those of the same sizes.
void addTo(std::vector<CountedFor>& counted, const VocabularySizes& sizes, const std::string& name);

// A row in a column: what the paper prints and what was measured.
struct PaperCell {
  std::optional<PrintedNumber> printed = {};
  std::optional<double> recomputed = {};  // PaperTable::recomputed
  std::optional<PrintedNumber> printedGain =
      {};                      // over the row's baseline, from the printed values
  MeasuredCell measured = {};  // empty for quoted rows
  std::optional<double> mean = {}, deviation = {};
  std::optional<double> difference = {};  // mean - printed, measured with the paper's setup
  // Whether the test confirms the paper. If the paper prints a loss, a loss confirms it.
  std::optional<Direction> direction = {};
};
PaperCell paperCell(const MeasuredTable& measured, std::size_t row, std::size_t column);

}  // namespace strata
