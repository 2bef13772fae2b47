#include "core/data/numbered_text.h"

#include <fcntl.h>

#include <algorithm>

#include "core/base/digest.h"
#include "core/base/error.h"

namespace strata {
namespace {

constexpr std::size_t kBufferNumbers = 1 << 16;
constexpr std::size_t kHeadNumbers = 3;  // checksum and number of words

}  // namespace

NumberedText::NumberedText(const std::filesystem::path& path)
    : file_(std::make_unique<OpenFile>(path, O_WRONLY | O_CREAT | O_TRUNC)) {
  if (!file_->isOpen()) throw file_->failure("write");
}

void NumberedText::add(std::string_view line) {
  const std::uint64_t checksum = checksum64(line);
  buffer_.push_back(static_cast<std::uint32_t>(checksum));
  buffer_.push_back(static_cast<std::uint32_t>(checksum >> 32));
  const std::size_t count = buffer_.size();
  buffer_.push_back(0);
  words_.addLine(line, buffer_);
  buffer_[count] = static_cast<std::uint32_t>(buffer_.size() - count - 1);
  if (buffer_.size() >= kBufferNumbers) flush();
}

void NumberedText::finish() {
  flush();
  file_->close();
}

void NumberedText::flush() {
  file_->write({reinterpret_cast<const char*>(buffer_.data()), buffer_.size() * sizeof buffer_[0]});
  buffer_.clear();
}

NumberedReader::NumberedReader(const NumberedText& text)
    : text_(text), file_(text.path(), O_RDONLY) {
  if (!file_.isOpen()) throw file_.failure("read");
}

bool NumberedReader::next() {
  if (!fill(kHeadNumbers)) return false;
  checksum_ = buffer_[begin_] | static_cast<std::uint64_t>(buffer_[begin_ + 1]) << 32;
  const std::size_t count = buffer_[begin_ + 2];
  begin_ += kHeadNumbers;
  if (!fill(count)) throw Error("{} is damaged: its last line is cut", text_.path().string());
  numbers_ = std::span(buffer_).subspan(begin_, count);
  begin_ += count;
  return true;
}

bool NumberedReader::fill(std::size_t count) {
  if (buffer_.size() - begin_ >= count) return true;
  buffer_.erase(buffer_.begin(), buffer_.begin() + static_cast<std::ptrdiff_t>(begin_));
  begin_ = 0;
  const std::size_t unread = buffer_.size();
  buffer_.resize(std::max(count, kBufferNumbers));
  const std::size_t bytes = file_.readAt(offset_, reinterpret_cast<char*>(buffer_.data() + unread),
                                         (buffer_.size() - unread) * sizeof(std::uint32_t));
  offset_ += bytes;
  buffer_.resize(unread + bytes / sizeof(std::uint32_t));
  return buffer_.size() >= count;
}

void NumberedReader::appendText(std::string& out) const {
  const auto& words = text_.words().entries();
  bool isFirst = true;
  for (const std::uint32_t number : numbers_) {
    if (!isFirst) out.push_back(' ');
    isFirst = false;
    out += words[number].word;
  }
}

}  // namespace strata
