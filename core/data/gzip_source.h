#pragma once
#include <cstdint>
#include <memory>
#include <string>

#include "core/data/byte_source.h"

namespace strata {

// What a gzip stream holds, all members of it, with every checksum and length compared. Damage, an
// early end and bytes behind the last member are Errors that name the file.
std::unique_ptr<ByteSource> openGzip(std::unique_ptr<ByteSource> compressed);

// Throws when `produced` bytes came out of `consumed` at a rate that no text has, beyond a size
// that does no harm.
void refuseBomb(std::int64_t produced, std::int64_t consumed, const std::string& name);

}  // namespace strata
