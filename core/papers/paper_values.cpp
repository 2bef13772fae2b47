#include "core/papers/paper_values.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

namespace strata {
namespace {

std::optional<PrintedNumber> printedAt(const PaperRow& row, const std::string& column) {
  const auto at = row.printed.find(column);
  return at == row.printed.end() ? std::nullopt : std::optional(at->second);
}

std::optional<PrintedNumber> printedGain(const PaperTable& table, const PaperRow& row,
                                         const std::string& column) {
  if (row.baseline.empty()) return {};
  const auto ours = printedAt(row, column);
  const auto theirs = printedAt(table.row(row.baseline), column);
  if (!ours || !theirs) return {};
  return gainOver(*theirs, *ours);
}

Direction directionOf(const RunsComparison& gain, const std::optional<PrintedNumber>& printed) {
  const Direction direction = gain.direction();
  if (!printed || printed->value >= 0) return direction;
  if (direction == Direction::kConfirmed) return Direction::kOpposite;
  return direction == Direction::kOpposite ? Direction::kConfirmed : direction;
}

}  // namespace

NumberStyle paperStyle(double value) {
  return {.digits = std::abs(value) >= 1000 ? 0 : 2};
}

std::string textOf(const std::vector<CountedFor>& counted) {
  std::string text;
  for (const auto& [sizes, names] : counted) {
    text += text.empty() ? "Parameters are counted for vocabularies (source/target) of " : "; of ";
    text += sizes.text();
    if (!names.empty()) text += fmt::format(" in {}", fmt::join(names, ", "));
  }
  return text.empty() ? text : text + ".";
}

void addTo(std::vector<CountedFor>& counted, const VocabularySizes& sizes,
           const std::string& name) {
  auto same = std::ranges::find(counted, sizes, &CountedFor::sizes);
  if (same == counted.end()) same = counted.insert(counted.end(), {.sizes = sizes});
  if (std::ranges::find(same->names, name) == same->names.end()) same->names.push_back(name);
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
  const Summary summary = summaryOf(cell.measured.values());
  cell.mean = summary.mean;
  cell.deviation = summary.deviation;
  if (cell.measured.paperSetup && cell.printed && cell.mean)
    cell.difference = *cell.mean - cell.printed->value;
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

Summary summaryOf(const std::vector<double>& values) {
  Summary summary{.count = values.size()};
  if (values.empty()) return summary;
  const auto count = static_cast<double>(values.size());
  double sum = 0, squares = 0;
  for (const double value : values) sum += value;
  summary.mean = sum / count;
  for (const double value : values) squares += (value - *summary.mean) * (value - *summary.mean);
  if (values.size() > 1) summary.deviation = std::sqrt(squares / (count - 1));
  return summary;
}

}  // namespace strata
