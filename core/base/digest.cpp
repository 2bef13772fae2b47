#include "core/base/digest.h"

#include <fmt/format.h>
#include <xxhash.h>

#include "core/base/files.h"

namespace strata {
namespace {

std::string toHex(XXH128_hash_t hash) {
  return fmt::format("{:016x}{:016x}", hash.high64, hash.low64);
}

}  // namespace

std::string digestOf(std::string_view bytes) {
  return toHex(XXH3_128bits(bytes.data(), bytes.size()));
}

std::string digestOfFile(const std::filesystem::path& path) {
  return digestOf(MappedFile(path).view());
}

std::uint64_t checksum64(std::string_view bytes) {
  return XXH3_64bits(bytes.data(), bytes.size());
}

Digest::Digest() : state_(XXH3_createState()) {
  XXH3_128bits_reset(state_);
}

Digest::~Digest() {
  XXH3_freeState(state_);
}

void Digest::add(std::string_view bytes) {
  XXH3_128bits_update(state_, bytes.data(), bytes.size());
}

std::string Digest::hex() const {
  return toHex(XXH3_128bits_digest(state_));
}

}  // namespace strata
