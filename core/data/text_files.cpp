#include "core/data/text_files.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "core/base/error.h"

namespace strata {
namespace {

int openOrThrow(const std::filesystem::path& path, int flags) {
  const int fd = ::open(path.c_str(), flags | O_CLOEXEC, 0644);
  if (fd < 0) throw Error("cannot open {}: {}", path.string(), std::strerror(errno));
  return fd;
}

}  // namespace

TextFileWriter::TextFileWriter(const std::filesystem::path& path)
    : fd_(openOrThrow(path, O_WRONLY | O_CREAT | O_TRUNC)),
      lines_(std::make_unique<LineWriter>(fd_, path.string())) {}

TextFileWriter::~TextFileWriter() {
  ::close(fd_);
}

void TextFileWriter::add(std::string_view line) {
  lines_->buffer() += line;
  lines_->buffer() += '\n';
  lines_->flushIfLarge();
}

void TextFileWriter::finish() {
  lines_->flush();
}

TextFileReader::TextFileReader(const std::filesystem::path& path)
    : fd_(openOrThrow(path, O_RDONLY)), lines_(std::make_unique<LineReader>(fd_, path.string())) {}

TextFileReader::~TextFileReader() {
  ::close(fd_);
}

}  // namespace strata
