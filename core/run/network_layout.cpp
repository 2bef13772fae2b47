#include "core/run/network_layout.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace strata {
namespace {

constexpr double kSideRoom = 46, kColumnGap = 54, kLongestArc = 42;

}  // namespace

int NetworkLayout::mostRows(const Network& network) {
  std::ptrdiff_t most = 1;
  for (std::size_t column = 0; column < network.columns.size(); ++column)
    most = std::max(most, std::ranges::count(network.parts, column, &Network::Part::column));
  return static_cast<int>(most);
}

int NetworkLayout::rowOf(std::size_t part) const {
  const auto begin = network_.parts.begin();
  const std::size_t column = network_.parts[part].column;
  return static_cast<int>(
      std::count_if(begin, begin + static_cast<std::ptrdiff_t>(part),
                    [&](const Network::Part& other) { return other.column == column; }));
}

NetworkLayout::Box NetworkLayout::box(std::size_t part) const {
  const double columns = std::max(1.0, static_cast<double>(network_.columns.size()));
  const double width =
      (frame_.width - 2 * (kMargin + kSideRoom) - (columns - 1) * kColumnGap) / columns;
  const double step =
      std::min(kHighestBox + kRowGap, (frame_.bottom - frame_.head - kMargin) / mostRows(network_));
  const double x =
      kMargin + kSideRoom + static_cast<double>(network_.parts[part].column) * (width + kColumnGap);
  return {x, frame_.bottom - (rowOf(part) + 1) * step + kRowGap, width, step - kRowGap};
}

NetworkLayout::Curve NetworkLayout::arc(const Network::Link& link) const {
  const Box from = box(link.from), to = box(link.to);
  const std::size_t column = network_.parts[link.from].column;
  const bool right = column + 1 == network_.columns.size() && column > 0;
  const double side = right ? 1 : -1;
  const double rows = std::abs(rowOf(link.to) - rowOf(link.from));
  const double bulge =
      1.3 * side * std::min(kLongestArc, 12 + 30 * std::sqrt(rows / mostRows(network_)));
  const Point start{right ? from.x + from.width : from.x, from.y + from.height / 2 - 3};
  const Point end{right ? to.x + to.width : to.x, to.y + to.height / 2 + 3};
  return {start, {start.x + bulge, start.y}, {end.x + bulge, end.y}, end, {-side, 0}};
}

NetworkLayout::Curve NetworkLayout::curve(const Network::Link& link) const {
  const std::size_t column = network_.parts[link.from].column,
                    target = network_.parts[link.to].column;
  const Box from = box(link.from), to = box(link.to);
  if (column == target) {
    const bool next = rowOf(link.to) - rowOf(link.from) == 1;
    if (!next || link.kind != Network::LinkKind::kPlain) return arc(link);
    const Point start{from.x + from.width / 2, from.y};
    const Point end{to.x + to.width / 2, to.y + to.height};
    return {start, start, end, end, {0, -1}};
  }
  const bool onwards = target > column;
  const Point start{onwards ? from.x + from.width : from.x, from.y + from.height / 2};
  const Point end{onwards ? to.x : to.x + to.width, to.y + to.height / 2};
  const double bend = (end.x - start.x) / 2;
  return {start, {start.x + bend, start.y}, {end.x - bend, end.y}, end, {onwards ? 1.0 : -1.0, 0}};
}

}  // namespace strata
