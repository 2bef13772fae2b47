#include "core/base/files.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <system_error>

#include "core/base/error.h"
#include "core/base/open_file.h"
#include "core/base/replacing_file.h"

namespace strata {

std::string readFile(const fs::path& path) {
  std::string content;
  content.reserve(fileBytes(path));
  readBlocks(path, [&](std::string_view block) { content += block; });
  return content;
}

void readBlocks(const fs::path& path, const std::function<void(std::string_view)>& use) {
  const OpenFile file(path, O_RDONLY);
  if (!file.isOpen()) throw file.failure("open");
  struct stat info {};
  if (::fstat(file.fd(), &info) != 0) throw file.failure("read");
  if (S_ISDIR(info.st_mode)) throw Error("cannot read {}: it is a folder", path.string());
  char buffer[1 << 16];
  for (;;) {  // until end of file: pipes have no size
    const ssize_t got = ::read(file.fd(), buffer, sizeof buffer);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) throw file.failure("read");
    if (got == 0) return;
    use({buffer, static_cast<std::size_t>(got)});
  }
}

void writeFileAtomic(const fs::path& path, std::string_view content) {
  ReplacingFile file(path);
  file.write(content);
  file.commit();
}

void syncToDisk(const fs::path& path) {
  const OpenFile file(path, O_RDONLY);
  if (!file.isOpen()) throw file.failure("open");
  file.sync();
}

void moveDurably(const fs::path& from, const fs::path& to) {
  std::error_code failed;
  fs::rename(from, to, failed);
  if (failed) throw Error("cannot move {} to {}: {}", from.string(), to.string(), failed.message());
  syncToDisk(to.parent_path());
  if (from.parent_path() != to.parent_path()) syncToDisk(from.parent_path());
}

void linkOrCopy(const fs::path& from, const fs::path& to) {
  std::error_code failed;
  fs::create_hard_link(from, to, failed);
  if (!failed) return;
  if (!fs::copy_file(from, to, failed) || failed) {
    throw Error("cannot copy {} to {}: {}", from.string(), to.string(), failed.message());
  }
}

std::uintmax_t fileBytes(const fs::path& path) {
  std::error_code failed;
  const auto bytes = fs::file_size(path, failed);
  return failed ? 0 : bytes;
}

std::uintmax_t freeSpace(const fs::path& path) {
  fs::path existing = fs::absolute(path);
  while (!fs::exists(existing) && existing.has_relative_path()) existing = existing.parent_path();
  return fs::space(existing).available;
}

std::vector<std::string> namesIn(const fs::path& folder) {
  std::error_code failed;
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(folder, failed))
    names.push_back(entry.path().filename().string());
  std::ranges::sort(names);
  return names;
}

fs::path pathInside(const fs::path& root, const fs::path& relative) {
  const fs::path normal = relative.lexically_normal();
  if (relative.is_absolute() || (!normal.empty() && *normal.begin() == "..")) {
    throw Error("{} is outside {}: only paths inside it are accepted", relative.string(),
                root.string());
  }
  return root / normal;
}

MappedFile::MappedFile(const fs::path& path) : path_(path) {
  const OpenFile file(path, O_RDONLY);
  if (!file.isOpen()) throw file.failure("open");
  struct stat info {};
  if (::fstat(file.fd(), &info) != 0) throw file.failure("read");
  if (!S_ISREG(info.st_mode)) throw Error("cannot map {}: it is not a file", path.string());
  const auto bytes = static_cast<std::size_t>(info.st_size);
  if (bytes == 0) return;
  void* data = ::mmap(nullptr, bytes, PROT_READ, MAP_SHARED, file.fd(), 0);
  if (data == MAP_FAILED) throw file.failure("map");
  data_ = {static_cast<char*>(data), Unmap{bytes}};
}

void MappedFile::Unmap::operator()(char* data) const {
  ::munmap(data, bytes);
}

TemporaryFolder::TemporaryFolder() {
  std::string pattern = (fs::temp_directory_path() / "strata-XXXXXX").string();
  if (::mkdtemp(pattern.data()) == nullptr)
    throw Error("cannot create {}: {}", pattern, std::strerror(errno));
  path_ = pattern;
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

}  // namespace strata
