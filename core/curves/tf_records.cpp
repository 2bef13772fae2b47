#include "core/curves/tf_records.h"

#include <isa-l/crc.h>

#include <bit>
#include <cstring>

#include "core/base/error.h"

namespace strata {
namespace {

static_assert(std::endian::native == std::endian::little);

constexpr std::size_t kHeader = 12, kFooter = 4;

template <typename Number>
Number numberAt(std::string_view bytes, std::size_t at) {
  Number value = 0;
  std::memcpy(&value, bytes.data() + at, sizeof value);
  return value;
}

template <typename Number>
void put(std::string& out, Number value) {
  out.append(reinterpret_cast<const char*>(&value), sizeof value);
}

}  // namespace

std::uint32_t crc32c(std::string_view bytes) {
  constexpr std::size_t kPart = 1u << 30;  // the library counts in int
  std::uint32_t crc = 0xFFFFFFFF;
  while (!bytes.empty()) {
    const std::string_view part = bytes.substr(0, kPart);
    // The library's signature lacks the const: it only reads.
    auto* data = reinterpret_cast<unsigned char*>(const_cast<char*>(part.data()));
    crc = crc32_iscsi(data, static_cast<int>(part.size()), crc);
    bytes.remove_prefix(part.size());
  }
  return ~crc;
}

std::uint32_t maskedCrc(std::string_view bytes) {
  return std::rotr(crc32c(bytes), 15) + 0xA282EAD8u;
}

std::string tfRecord(std::string_view data) {
  std::string record;
  put(record, static_cast<std::uint64_t>(data.size()));
  put(record, maskedCrc(record));
  record += data;
  put(record, maskedCrc(data));
  return record;
}

bool startsWithRecord(std::string_view bytes) {
  return bytes.size() >= kHeader &&
         numberAt<std::uint32_t>(bytes, 8) == maskedCrc(bytes.substr(0, 8));
}

bool TfRecordReader::stop(End end, std::string why) {
  end_ = end;
  why_ = std::move(why);
  return false;
}

bool TfRecordReader::next(std::string& data) {
  if (end_ != End::kNone) return false;
  record_ = input_.offset();
  const std::string_view header = input_.read(kHeader);
  if (header.size() < kHeader) {
    const bool whole = header.empty() && !input_.isDamaged();
    return stop(whole ? End::kWhole : End::kTruncated, {});
  }
  if (!startsWithRecord(header))
    return stop(End::kDamaged, "the length of the record has a wrong checksum");
  const auto length = numberAt<std::uint64_t>(header, 0);
  if (length > limit_)
    return stop(End::kDamaged, fmt::format("a record of {} bytes is too long", length));
  data.clear();
  if (!input_.read(length, data)) return stop(End::kTruncated, {});
  const std::string_view footer = input_.read(kFooter);
  if (footer.size() < kFooter) return stop(End::kTruncated, {});
  if (numberAt<std::uint32_t>(footer, 0) != maskedCrc(data))
    return stop(End::kDamaged, "the data of the record have a wrong checksum");
  return true;
}

std::string TfRecordReader::problem() const {
  if (end_ == End::kNone || end_ == End::kWhole) return {};
  if (end_ == End::kTruncated)
    return fmt::format("{} ends within the record that begins at byte {}: read up to there",
                       input_.file().string(), record_);
  return fmt::format("{} is damaged at byte {}: {}; the rest of the file is left out",
                     input_.file().string(), record_, why_);
}

}  // namespace strata
