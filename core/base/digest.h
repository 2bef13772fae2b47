#pragma once
#include <array>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

struct XXH3_state_s;

namespace strata {

// XXH3-128 digests, written as 32 lower-case hexadecimal digits (canonical, most significant
// first). They find damage, not malice.
std::string digestOf(std::string_view bytes);
std::string digestOfFile(const std::filesystem::path& path);
std::uint64_t checksum64(std::string_view bytes);

// A digest over bytes that arrive in pieces.
class Digest {
 public:
  Digest();
  ~Digest();
  Digest(const Digest&) = delete;
  Digest& operator=(const Digest&) = delete;
  void add(std::string_view bytes);
  std::string hex() const;

 private:
  XXH3_state_s* state_;
};

}  // namespace strata
