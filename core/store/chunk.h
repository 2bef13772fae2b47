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

// How many points a sealed chunk holds.
inline constexpr std::int64_t kChunkPoints = 4096;

// Extremes over finite values with the first step of each; NaN and -1 while there is none.
struct PointStatistics {
  double minimum = std::numeric_limits<double>::quiet_NaN();
  double maximum = std::numeric_limits<double>::quiet_NaN();
  std::int64_t minimumStep = -1, maximumStep = -1;
  std::int64_t nonFinite = 0;

  void add(const PackedPoint& point);
  void add(const PointStatistics& later);  // of points behind these
};
PointStatistics statisticsOf(std::span<const PackedPoint> points);

// A run of points in as few bytes as keep all of them exactly: steps at a constant distance take
// none, wall times four bytes as differences, values four where single precision holds them.
std::string encodeChunk(std::span<const PackedPoint> points);
// Adds the points to `out`. False where the bytes are not what encodeChunk writes.
bool decodeChunk(std::span<const std::byte> data, std::vector<PackedPoint>& out);
bool decodeChunk(std::span<const std::byte> data, std::vector<ScalarPoint>& out);

}  // namespace strata
