#pragma once
#include <cstdint>
#include <memory>
#include <string>

#include "core/data/byte_source.h"

namespace strata {

// The content of a gzip stream, all its members, with every checksum and length verified. Damage,
// an early end and bytes after the last member are Errors that name the file.
std::unique_ptr<ByteSource> openGzip(std::unique_ptr<ByteSource> compressed);

// Throws if `produced` bytes came out of `consumed` at a ratio that no text has, beyond a harmless
// size.
void refuseBomb(std::int64_t produced, std::int64_t consumed, const std::string& name);

}  // namespace strata
