#include "core/curves/curve_input.h"

#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "core/base/error.h"
#include "core/base/files.h"

namespace strata {
namespace {
constexpr std::size_t kBlock = 1u << 18;

gzFile gz(void* stream) {
  return static_cast<gzFile>(stream);
}
}  // namespace

void CurveInput::Close::operator()(void* stream) const {
  gzclose(gz(stream));
}

CurveInput::CurveInput(const fs::path& file, const ReadOptions& options, std::uint64_t before)
    : file_(file), options_(options), before_(before) {
  std::error_code failed;
  if (!fs::is_regular_file(file, failed))
    throw Error("cannot read {}: {}", file.string(),
                fs::exists(file, failed) ? "it is not a regular file" : "it is not there");
  errno = 0;
  stream_.reset(gzopen(file.c_str(), "rb"));
  if (!stream_)
    throw Error("cannot read {}: {}", file.string(), errno != 0 ? std::strerror(errno) : "memory");
  gzbuffer(gz(stream_.get()), kBlock);
  fileBytes_ = strata::fileBytes(file);
}

CurveInput::~CurveInput() = default;

void CurveInput::fill() {
  if (ended_) return;
  checkCancelled(options_.stop);
  buffer_.erase(0, begin_);
  begin_ = 0;
  const std::size_t old = buffer_.size();
  buffer_.resize(old + kBlock);
  errno = 0;
  const int got = gzread(gz(stream_.get()), buffer_.data() + old, kBlock);
  buffer_.resize(old + static_cast<std::size_t>(std::max(got, 0)));
  int code = Z_OK;
  gzerror(gz(stream_.get()), &code);
  if (code == Z_ERRNO) throw Error("cannot read {}: {}", file_.string(), std::strerror(errno));
  damaged_ |= got < 0 || (code != Z_OK && code != Z_STREAM_END);
  ended_ = got <= 0 || damaged_;
  if (options_.progress != nullptr)
    options_.progress->advance(static_cast<std::int64_t>(before_) +
                               std::max<std::int64_t>(0, gzoffset(gz(stream_.get()))));
}

std::string_view CurveInput::read(std::size_t bytes) {
  while (buffer_.size() - begin_ < bytes && !ended_) fill();
  const std::size_t given = std::min(bytes, buffer_.size() - begin_);
  const std::string_view view(buffer_.data() + begin_, given);
  begin_ += given;
  offset_ += given;
  return view;
}

bool CurveInput::read(std::size_t bytes, std::string& out) {
  while (bytes > 0) {
    const std::string_view part = read(std::min(bytes, kBlock));
    if (part.empty()) return false;
    out += part;
    bytes -= part.size();
  }
  return true;
}

bool CurveInput::nextLine(std::string& line) {
  line.clear();
  bool any = false;
  for (;;) {
    if (begin_ == buffer_.size()) {
      if (ended_) return any;
      fill();
      if (begin_ == buffer_.size()) continue;
    }
    any = true;
    const std::string_view rest(buffer_.data() + begin_, buffer_.size() - begin_);
    const std::size_t end = rest.find('\n');
    const std::string_view part = rest.substr(0, end);
    const std::size_t limit = options_.limits.lineBytes;
    if (line.size() < limit) line += part.substr(0, limit - line.size());
    const std::size_t used = part.size() + (end == std::string_view::npos ? 0 : 1);
    begin_ += used;
    offset_ += used;
    if (end == std::string_view::npos) continue;
    if (line.ends_with('\r')) line.pop_back();
    return true;
  }
}

}  // namespace strata
