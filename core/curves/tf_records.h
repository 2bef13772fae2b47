#pragma once
#include <cstdint>
#include <string>
#include <string_view>

#include "core/curves/curve_input.h"

namespace strata {

// TFRecord, the framing of TensorBoard's event files, little-endian: the length of the data (8
// bytes), its masked CRC-32C (4), the data, their masked CRC-32C (4).

// CRC-32C (Castagnoli), rotated and offset so that a sum of data that contain sums is still good.
std::uint32_t maskedCrc(std::string_view bytes);
std::uint32_t crc32c(std::string_view bytes);

std::string tfRecord(std::string_view data);

// Whether a file begins like one: a length with the right sum.
bool startsWithRecord(std::string_view bytes);

class TfRecordReader {
 public:
  enum class End { kNone, kWhole, kTruncated, kDamaged };

  TfRecordReader(CurveInput& input, std::size_t limit) : input_(input), limit_(limit) {}

  // The next record's data, valid until the next call. False at the end, which is then known.
  bool next(std::string& data);
  End end() const { return end_; }
  // One sentence on how the file ended, with the record's offset; empty if it is whole.
  std::string problem() const;

 private:
  bool stop(End end, std::string why);

  CurveInput& input_;
  std::size_t limit_;
  std::uint64_t record_ = 0;  // offset of the newest one
  End end_ = End::kNone;
  std::string why_;
};

}  // namespace strata
