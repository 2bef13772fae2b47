#include "core/data/lines.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "core/base/byte_order_mark.h"
#include "core/base/error.h"
#include "core/base/utf8.h"
#include "core/data/line_error.h"

namespace strata {
namespace {

constexpr std::size_t kLongestLine = std::size_t{64} << 20;

// Whether the bytes look like UTF-16 or UTF-32 text: at least every other byte is NUL.
bool looksWide(std::string_view bytes) {
  bytes = bytes.substr(0, 256);
  const auto nuls = static_cast<std::size_t>(std::count(bytes.begin(), bytes.end(), '\0'));
  return bytes.size() >= 2 && nuls * 5 >= bytes.size() * 2;
}

}  // namespace

TextLines::TextLines(const std::string& location, bool quiet)
    : TextLines(openBytes(location), quiet) {}

TextLines::TextLines(std::unique_ptr<ByteSource> bytes, bool quiet)
    : bytes_(std::move(bytes)),
      lines_(
          name(),
          [from = bytes_.get()](char* buffer, std::size_t size) {
            return from->read(buffer, size);
          },
          kLongestLine),
      quiet_(quiet) {}

void TextLines::dropMark() {
  started_ = true;
  const std::string_view head = lines_.peek(4);
  if (head.starts_with("\xff\xfe") || head.starts_with("\xfe\xff")) {
    throw Error(
        "{}: line 1, byte 0: looks like UTF-16 (it starts with a UTF-16 mark); convert the text to "
        "UTF-8 first",
        name());
  }
  if (head.starts_with(kByteOrderMark)) {
    hadMark_ = true;
    lines_.skip(kByteOrderMark.size());
    offset_ += static_cast<std::int64_t>(kByteOrderMark.size());
  }
}

std::string_view TextLines::peek(std::size_t bytes) {
  if (!started_) dropMark();
  return lines_.peek(bytes);
}

bool TextLines::next(std::string_view& line) {
  if (!started_) dropMark();
  if (!lines_.next(line)) {
    finish();
    return false;
  }
  check(line);
  offset_ += static_cast<std::int64_t>(line.size()) + 1;
  if (lines_.hadNewline() && line.ends_with('\r')) {
    line.remove_suffix(1);
    ++returnsRemoved_;
  }
  note(line);
  return true;
}

void TextLines::check(std::string_view line) const {
  if (const auto bad = firstInvalidUtf8(line)) {
    throw LineError(
        LineError::Kind::kUtf8,
        fmt::format("{}: line {}, byte {} (bytes counted from 0; offset {} in the text): 0x{:02x} "
                    "is not valid UTF-8; convert the text to UTF-8 first",
                    name(), lineNumber(), *bad, offset_ + static_cast<std::int64_t>(*bad),
                    static_cast<unsigned char>(line[*bad])));
  }
  if (const void* nul = std::memchr(line.data(), '\0', line.size())) {
    const auto at = static_cast<const char*>(nul) - line.data();
    throw LineError(
        LineError::Kind::kNul,
        fmt::format("{}: line {}, byte {} (bytes counted from 0; offset {} in the text): a NUL "
                    "byte{}",
                    name(), lineNumber(), at, offset_ + at,
                    looksWide(line) ? "; it looks like UTF-16, convert the text to UTF-8 first"
                                    : ", which no text contains; remove it"));
  }
}

void TextLines::note(std::string_view line) {
  if (firstInnerReturn_ == 0 && std::memchr(line.data(), '\r', line.size()) != nullptr)
    firstInnerReturn_ = lineNumber();
  if (firstInnerMark_ == 0 && line.starts_with(kByteOrderMark)) firstInnerMark_ = lineNumber();
}

std::vector<std::string> TextLines::notes() const {
  std::vector<std::string> all;
  if (hadMark_) all.push_back(fmt::format("{}: dropped the byte order mark at the start", name()));
  if (returnsRemoved_ > 0) {
    all.push_back(fmt::format("{}: removed the carriage return at the end of {} lines", name(),
                              returnsRemoved_));
  }
  if (firstInnerReturn_ > 0) {
    all.push_back(
        fmt::format("{}: line {} contains a carriage return that ends no line (old Macintosh line "
                    "ends?); it is kept",
                    name(), firstInnerReturn_));
  }
  if (firstInnerMark_ > 0) {
    all.push_back(
        fmt::format("{}: line {} starts with a byte order mark (were files joined?); it is kept",
                    name(), firstInnerMark_));
  }
  return all;
}

void TextLines::finish() {
  if (finished_) return;
  finished_ = true;
  if (quiet_) return;
  for (const std::string& text : notes()) spdlog::warn("{}", text);
}

ParallelLines::ParallelLines(std::vector<std::unique_ptr<LineSource>> sources)
    : sources_(std::move(sources)), lines_(sources_.size()) {}

bool ParallelLines::next() {
  std::vector<bool> ended(sources_.size());
  std::size_t ends = 0;
  for (std::size_t i = 0; i < sources_.size(); ++i) {
    if (sources_[i]->next(lines_[i])) continue;
    ended[i] = true;
    ++ends;
  }
  if (ends == sources_.size()) return false;
  if (ends > 0) refuse(ended);
  ++count_;
  return true;
}

void ParallelLines::refuse(const std::vector<bool>& ended) {
  std::vector<std::int64_t> counts(sources_.size(), count_);
  for (std::size_t i = 0; i < sources_.size(); ++i) {
    if (ended[i]) continue;
    std::string_view rest;
    do {
      ++counts[i];
    } while (sources_[i]->next(rest));
  }
  std::size_t other = 1;
  while (other + 1 < counts.size() && counts[other] == counts[0]) ++other;
  throw Error(
      "{} has {} lines, {} has {}: line n of one must belong to line n of the other; nothing was "
      "trimmed",
      sources_[0]->name(), counts[0], sources_[other]->name(), counts[other]);
}

bool hasNoWords(std::string_view line) {
  return line.find_first_not_of(" \t\r") == std::string_view::npos;
}

std::vector<std::string> readLines(const std::string& location) {
  TextLines lines(location);
  std::vector<std::string> all;
  for (std::string_view line; lines.next(line);) all.emplace_back(line);
  return all;
}

}  // namespace strata
