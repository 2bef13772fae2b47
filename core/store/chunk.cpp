#include "core/store/chunk.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <string_view>
#include <type_traits>

#include "core/base/digest.h"
#include "core/store/database.h"

namespace strata {
namespace {

// How a column is stored.
enum class Column : std::uint8_t { kConstant, k32, k64 };

constexpr std::uint8_t kChunkVersion = 2, kWithoutChecksum = 1;
using Checksum = std::uint64_t;  // XXH3 of all bytes before it

struct ChunkHeader {
  std::uint8_t version = kChunkVersion;
  Column step = Column::k64, wall = Column::k64, value = Column::k64;
  std::uint32_t count = 0;
  std::int64_t firstStep = 0;
  std::int64_t stride = 0;  // if steps are equidistant
  std::int64_t firstWall = 0;
};
static_assert(sizeof(ChunkHeader) == 32);

std::size_t widthOf(Column column) {
  return column == Column::kConstant ? 0 : column == Column::k32 ? 4 : 8;
}

bool fitsSingle(double value) {
  if (std::isnan(value)) return true;
  return static_cast<double>(static_cast<float>(value)) == value;
}

bool fits32(std::int64_t difference) {
  return difference >= 0 && difference <= 0xFFFFFFFFll;
}

ChunkHeader headerFor(std::span<const PackedPoint> points) {
  ChunkHeader header{.version = kChunkVersion,
                     .step = Column::kConstant,
                     .wall = Column::k32,
                     .value = Column::k32,
                     .count = static_cast<std::uint32_t>(points.size()),
                     .firstStep = points[0].step,
                     .stride = points.size() > 1 ? points[1].step - points[0].step : 0,
                     .firstWall = points[0].wall};
  for (std::size_t i = 1; i < points.size(); ++i) {
    const std::int64_t step = points[i].step - points[i - 1].step;
    if (step != header.stride && header.step == Column::kConstant) header.step = Column::k32;
    if (!fits32(step) && step != header.stride) header.step = Column::k64;
    if (!fits32(points[i].wall - points[i - 1].wall)) header.wall = Column::k64;
  }
  if (header.step == Column::k32 && !fits32(header.stride)) header.step = Column::k64;
  if (!std::ranges::all_of(points, [](const auto& p) { return fitsSingle(p.value); }))
    header.value = Column::k64;
  return header;
}

template <typename T>
void put(std::string& out, T value) {
  out.append(reinterpret_cast<const char*>(&value), sizeof value);
}

void putDifference(std::string& out, Column column, std::int64_t difference) {
  if (column == Column::k32) put(out, static_cast<std::uint32_t>(difference));
  if (column == Column::k64) put(out, difference);
}

template <typename T>
T at(const std::byte* bytes, std::size_t index) {
  T value;
  std::memcpy(&value, bytes + index * sizeof(T), sizeof(T));
  return value;
}

std::int64_t differenceAt(const std::byte* bytes, Column column, std::size_t index) {
  return column == Column::k32 ? static_cast<std::int64_t>(at<std::uint32_t>(bytes, index))
                               : at<std::int64_t>(bytes, index);
}

void set(PackedPoint& point, std::int64_t step, std::int64_t wall, double value) {
  point = {step, wall, value};
}
void set(ScalarPoint& point, std::int64_t step, std::int64_t wall, double value) {
  point = {step, static_cast<double>(wall) / 1e6, value};
}

template <Column kStep, Column kWall, Column kValue, typename Point>
void decodeColumns(const ChunkHeader& header, const std::byte* data, std::vector<Point>& out) {
  const std::byte* steps = data + sizeof header;
  const std::byte* walls = steps + header.count * widthOf(kStep);
  const std::byte* values = walls + header.count * widthOf(kWall);
  std::int64_t step = header.firstStep, wall = header.firstWall;
  // Decoded into a block that stays in the cache, so that the result's memory is written only once.
  std::array<Point, 512> block;
  for (std::size_t begin = 0; begin < header.count; begin += block.size()) {
    const std::size_t end = std::min<std::size_t>(header.count, begin + block.size());
    for (std::size_t i = begin; i < end; ++i) {
      if (i > 0) {
        step += kStep == Column::kConstant ? header.stride : differenceAt(steps, kStep, i);
        wall += differenceAt(walls, kWall, i);
      }
      const double value =
          kValue == Column::k32 ? static_cast<double>(at<float>(values, i)) : at<double>(values, i);
      set(block[i - begin], step, wall, value);
    }
    out.insert(out.end(), block.begin(), block.begin() + static_cast<std::ptrdiff_t>(end - begin));
  }
}

// False: the bytes are no chunk, or not those that were written.
bool readHeader(std::span<const std::byte> data, ChunkHeader& header) {
  if (data.size() < sizeof header) return false;
  std::memcpy(&header, data.data(), sizeof header);
  const auto known = [](Column column) { return column <= Column::k64; };
  if (!known(header.step) || !known(header.wall) || !known(header.value) ||
      header.wall == Column::kConstant || header.value == Column::kConstant)
    return false;
  const std::size_t width = widthOf(header.step) + widthOf(header.wall) + widthOf(header.value);
  const std::size_t end = sizeof header + header.count * width;
  if (header.version == kWithoutChecksum) return data.size() == end;
  if (header.version != kChunkVersion || data.size() != end + sizeof(Checksum)) return false;
  const std::string_view bytes(reinterpret_cast<const char*>(data.data()), end);
  return checksum64(bytes) == at<Checksum>(data.data() + end, 0);
}

// Calls with each column's encoding as a constant.
template <typename Work>
void withColumn(Column column, Work&& work) {
  if (column == Column::kConstant) work(std::integral_constant<Column, Column::kConstant>());
  if (column == Column::k32) work(std::integral_constant<Column, Column::k32>());
  if (column == Column::k64) work(std::integral_constant<Column, Column::k64>());
}

}  // namespace

void PointStatistics::add(const PackedPoint& point) {
  if (!std::isfinite(point.value)) {
    ++nonFinite;
    return;
  }
  add(PointStatistics{.minimum = point.value,
                      .maximum = point.value,
                      .minimumStep = point.step,
                      .maximumStep = point.step,
                      .minimumLast = point.step,
                      .maximumLast = point.step});
}

void PointStatistics::add(const PointStatistics& later) {
  nonFinite += later.nonFinite;
  if (later.minimumStep < 0) return;
  if (minimumStep < 0 || later.minimum < minimum) {
    minimum = later.minimum;
    minimumStep = later.minimumStep;
  }
  if (maximumStep < 0 || later.maximum > maximum) {
    maximum = later.maximum;
    maximumStep = later.maximumStep;
  }
  if (later.minimum == minimum) minimumLast = later.minimumLast;
  if (later.maximum == maximum) maximumLast = later.maximumLast;
}

PointStatistics statisticsOf(std::span<const PackedPoint> points) {
  PointStatistics statistics;
  for (const auto& point : points) statistics.add(point);
  return statistics;
}

std::string encodeChunk(std::span<const PackedPoint> points) {
  const ChunkHeader header = headerFor(points);
  std::string out;
  out.reserve(sizeof header + points.size() * 24 + sizeof(Checksum));
  put(out, header);
  for (std::size_t i = 0; i < points.size(); ++i)
    putDifference(out, header.step, i == 0 ? 0 : points[i].step - points[i - 1].step);
  for (std::size_t i = 0; i < points.size(); ++i)
    putDifference(out, header.wall, i == 0 ? 0 : points[i].wall - points[i - 1].wall);
  for (const auto& point : points) {
    if (header.value == Column::k32) put(out, static_cast<float>(point.value));
    if (header.value == Column::k64) put(out, point.value);
  }
  put(out, Checksum{checksum64(out)});
  return out;
}

template <typename Point>
bool decodeChunk(std::span<const std::byte> data, std::vector<Point>& out) {
  ChunkHeader header;
  if (!readHeader(data, header)) return false;
  withColumn(header.step, [&](auto step) {
    withColumn(header.wall, [&](auto wall) {
      withColumn(header.value, [&](auto value) {
        decodeColumns<step(), wall(), value()>(header, data.data(), out);
      });
    });
  });
  return true;
}

template <typename Point>
void unpackChunk(Database& index, std::span<const std::byte> data, std::vector<Point>& out) {
  if (decodeChunk(data, out)) return;
  throw IndexDamaged("{}: a chunk of scalars is damaged: run `strata-run workspace repair`",
                     index.file().string());
}

template bool decodeChunk(std::span<const std::byte> data, std::vector<PackedPoint>& out);
template bool decodeChunk(std::span<const std::byte> data, std::vector<ScalarPoint>& out);
template void unpackChunk(Database&, std::span<const std::byte>, std::vector<PackedPoint>&);
template void unpackChunk(Database&, std::span<const std::byte>, std::vector<ScalarPoint>&);

}  // namespace strata
