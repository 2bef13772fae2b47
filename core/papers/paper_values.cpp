#include "core/papers/paper_values.h"

#include <cmath>

namespace strata {
namespace {

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

}  // namespace

std::size_t headlineOf(const PaperTable& table) {
  for (std::size_t c = 0; c < table.columns.size(); ++c) {
    if (table.columns[c].key == table.headline) return c;
  }
  return 0;
}

PaperCell paperCell(const MeasuredTable& measured, std::size_t row, std::size_t column) {
  const PaperTable& table = measured.table;
  const PaperRow& source = table.rows[row];
  const std::string& key = table.columns[column].key;
  PaperCell cell{.printed = printedAt(source, key),
                 .recomputed = table.recomputed(source, table.columns[column]),
                 .printedGain = printedGain(table, source, key)};
  if (!source.runs()) return cell;
  cell.measured = measured.rows[row].cells[column];
  cell.mean = cell.measured.mean();
  cell.deviation = cell.measured.deviation();
  if (cell.measured.paperSetup && cell.printed && cell.mean)
    cell.difference = *cell.mean - *cell.printed;
  if (cell.measured.gain) cell.direction = directionOf(*cell.measured.gain, cell.printedGain);
  return cell;
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
