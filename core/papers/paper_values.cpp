#include "core/papers/paper_values.h"

#include <cmath>

namespace strata {

std::size_t headlineOf(const PaperTable& table) {
  for (std::size_t c = 0; c < table.columns.size(); ++c) {
    if (table.columns[c].key == table.headline) return c;
  }
  return 0;
}

std::optional<double> printedAt(const PaperRow& row, const std::string& column) {
  const auto at = row.printed.find(column);
  return at == row.printed.end() ? std::nullopt : std::optional(at->second);
}

std::optional<double> printedGain(const PaperTable& table, const PaperRow& row,
                                  const std::string& column) {
  if (row.baseline.empty()) return {};
  const auto ours = printedAt(row, column);
  const auto theirs = printedAt(table.row(row.baseline), column);
  if (!ours || !theirs) return {};
  return *ours - *theirs;
}

Direction directionOf(const RunsComparison& gain, const std::optional<double>& printed) {
  const Direction direction = gain.direction();
  if (!printed || *printed >= 0) return direction;
  if (direction == Direction::kConfirmed) return Direction::kOpposite;
  return direction == Direction::kOpposite ? Direction::kConfirmed : direction;
}

std::vector<double> MeasuredCell::values() const {
  std::vector<double> values;
  for (const MeasuredRun& run : runs) {
    if (run.value) values.push_back(*run.value);
  }
  return values;
}

std::optional<double> MeasuredCell::mean() const {
  const auto all = values();
  if (all.empty()) return {};
  double sum = 0;
  for (const double value : all) sum += value;
  return sum / static_cast<double>(all.size());
}

std::optional<double> MeasuredCell::deviation() const {
  const auto all = values();
  if (all.size() < 2) return {};
  double sum = 0;
  for (const double value : all) sum += (value - *mean()) * (value - *mean());
  return std::sqrt(sum / static_cast<double>(all.size() - 1));
}

}  // namespace strata
