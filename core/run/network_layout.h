// Where the parts and connections of a network are drawn: a column per encoder or decoder, from its
// input upwards. The window and the SVG pictures draw the same.
#pragma once
#include <cstddef>

#include "core/run/network.h"

namespace strata {

class NetworkLayout {
 public:
  // In units of the picture: the boxes lie between `head`, below the columns' names, and `bottom`.
  struct Frame {
    double width = 0, head = 0, bottom = 0;
  };
  struct Point {
    double x = 0, y = 0;
  };
  struct Box {
    double x = 0, y = 0, width = 0, height = 0;
  };
  // A cubic curve with an arrow head at its end, which points along `direction`.
  struct Curve {
    Point start, first, second, end, direction;
  };
  static constexpr double kMargin = 8, kRowGap = 9, kHighestBox = 40, kLowestBox = 19;

  NetworkLayout(const Network& network, const Frame& frame) : network_(network), frame_(frame) {}

  Box box(std::size_t part) const;
  // Within a column straight on, or as an arc at its outer side: the wider, the more layers it
  // spans. From column to column from side to side.
  Curve curve(const Network::Link& link) const;
  static int mostRows(const Network& network);  // parts of the longest column, at least 1

 private:
  int rowOf(std::size_t part) const;  // from the bottom of its column
  Curve arc(const Network::Link& link) const;

  const Network& network_;
  Frame frame_;
};

}  // namespace strata
