#pragma once
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "core/store/event_log.h"
#include "core/store/scalars.h"

namespace strata {

class Database;

// Number of points of a sealed chunk.
inline constexpr std::int64_t kChunkPoints = 4096;

// Extremes over finite values with the first and the last step of each; NaN and -1 if there are
// none.
struct PointStatistics {
  double minimum = std::numeric_limits<double>::quiet_NaN();
  double maximum = std::numeric_limits<double>::quiet_NaN();
  std::int64_t minimumStep = -1, maximumStep = -1;
  std::int64_t minimumLast = -1, maximumLast = -1;
  std::int64_t nonFinite = 0;

  void add(const PackedPoint& point);
  void add(const PointStatistics& later);  // of points after these
};
PointStatistics statisticsOf(std::span<const PackedPoint> points);

// A run of points in as few bytes as lossless storage allows: equidistant steps take none, wall
// times four bytes as differences, values four if single precision is exact. A checksum ends it.
std::string encodeChunk(std::span<const PackedPoint> points);
// Appends the points to `out`. False, and nothing is appended: the bytes are not what encodeChunk
// made. (Before version 2 chunks had no checksum; a process of that time may still write them.)
template <typename Point>  // PackedPoint or ScalarPoint
bool decodeChunk(std::span<const std::byte> data, std::vector<Point>& out);
// The same for a chunk of an index: throws IndexDamaged.
template <typename Point>
void unpackChunk(Database& index, std::span<const std::byte> data, std::vector<Point>& out);

}  // namespace strata
