#include "core/data/gzip_source.h"

#include <zlib.h>

#include <utility>
#include <vector>

#include "core/base/error.h"

namespace strata {
namespace {

constexpr std::size_t kCompressedBlock = 1 << 17;
constexpr int kGzipOnly = 15 + 16;  // zlib: the largest window, a gzip header and trailer

class GzipSource : public ByteSource {
 public:
  explicit GzipSource(std::unique_ptr<ByteSource> compressed)
      : inner_(std::move(compressed)), block_(kCompressedBlock) {
    if (inflateInit2(&stream_, kGzipOnly) != Z_OK)
      throw Error("{}: not enough memory to decompress", name());
  }
  ~GzipSource() override { inflateEnd(&stream_); }
  GzipSource(const GzipSource&) = delete;
  GzipSource& operator=(const GzipSource&) = delete;

  const std::string& name() const override { return inner_->name(); }

  std::size_t read(char* buffer, std::size_t size) override {
    stream_.next_out = reinterpret_cast<Bytef*>(buffer);
    stream_.avail_out = static_cast<uInt>(size);
    while (stream_.avail_out == size && !ended_) {
      if (stream_.avail_in == 0) refill();
      if (betweenMembers_ && !startMember()) break;
      step();
    }
    const std::size_t count = size - stream_.avail_out;
    produced_ += static_cast<std::int64_t>(count);
    refuseBomb(produced_, consumed_, name());
    return count;
  }

 private:
  void refill() {
    const std::size_t count = inner_->read(block_.data(), block_.size());
    consumed_ += static_cast<std::int64_t>(count);
    stream_.next_in = reinterpret_cast<Bytef*>(block_.data());
    stream_.avail_in = static_cast<uInt>(count);
  }

  // A member is followed by another, or by nothing.
  bool startMember() {
    if (stream_.avail_in == 0) {
      ended_ = true;
      return false;
    }
    if (*stream_.next_in != 0x1f) {
      throw Error(
          "{}: contains bytes after the end of its gzip data; remove them or fetch the file again",
          name());
    }
    betweenMembers_ = false;
    return inflateReset(&stream_) == Z_OK;
  }

  void step() {
    if (stream_.avail_in == 0) {
      throw Error(
          "{}: ends early: the gzip data is truncated; fetch the file again. Nothing of it was "
          "used",
          name());
    }
    const int result = inflate(&stream_, Z_NO_FLUSH);
    if (result == Z_STREAM_END) {
      betweenMembers_ = true;
    } else if (result != Z_OK && result != Z_BUF_ERROR) {
      throw Error("{}: damaged gzip data ({}); fetch the file again. Nothing of it was used",
                  name(), stream_.msg != nullptr ? stream_.msg : "it cannot be decompressed");
    }
  }

  std::unique_ptr<ByteSource> inner_;
  std::vector<char> block_;
  z_stream stream_{};
  bool betweenMembers_ = false, ended_ = false;
  std::int64_t produced_ = 0, consumed_ = 0;
};

}  // namespace

std::unique_ptr<ByteSource> openGzip(std::unique_ptr<ByteSource> compressed) {
  return std::make_unique<GzipSource>(std::move(compressed));
}

void refuseBomb(std::int64_t produced, std::int64_t consumed, const std::string& name) {
  constexpr std::int64_t kHarmless = std::int64_t{256} << 20;  // bytes
  constexpr std::int64_t kLargestRate = 500;
  if (produced > kHarmless && produced / kLargestRate > consumed) {
    throw Error("{}: expands more than {}-fold, which no text does; it was not read further", name,
                kLargestRate);
  }
}

}  // namespace strata
