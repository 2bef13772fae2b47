#include "core/data/corpus.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <cstring>
#include <limits>

#include "core/base/error.h"

namespace strata {
namespace {

static_assert(std::endian::native == std::endian::little, "the corpus format is little-endian");

constexpr std::string_view kCorpusMagic = "STRATACO";
constexpr std::uint32_t kVersion = 1;
constexpr std::size_t kHeaderBytes = 128;
constexpr std::int64_t kShortIds = 1 << 16;  // vocabularies up to this size have two-byte ids

struct Header {
  char magic[8];
  std::uint32_t version, width;
  std::uint64_t pairs;
  std::uint64_t tokens[2];
  std::uint64_t vocabularySizes[2];
  std::uint64_t idsAt, offsetsAt, fileSize;
  char digest[32];
  std::uint64_t reserved;
  std::uint64_t checksum;  // of the bytes before it
};
static_assert(sizeof(Header) == kHeaderBytes);

std::uint64_t checksumOf(const Header& header) {
  return checksum64({reinterpret_cast<const char*>(&header), offsetof(Header, checksum)});
}

// The first problem of a header; empty if there is none.
std::string faultOf(const Header& header, std::size_t fileSize) {
  if (std::string_view(header.magic, 8) != kCorpusMagic) return "it is not a Strata corpus";
  if (checksumOf(header) != header.checksum) return "its header is damaged";
  if (header.version != kVersion) return fmt::format("its version {} is not known", header.version);
  if (header.fileSize != fileSize)
    return fmt::format("it has {} of {} bytes", fileSize, header.fileSize);
  if (std::max({header.tokens[0], header.tokens[1], header.pairs}) > fileSize)
    return "its header contradicts itself";
  const std::uint64_t ids = header.tokens[0] + header.tokens[1];
  const bool fits = (header.width == 2 || header.width == 4) && header.idsAt == kHeaderBytes &&
                    header.offsetsAt % 8 == 0 &&
                    header.offsetsAt >= header.idsAt + ids * header.width &&
                    header.fileSize == header.offsetsAt + (2 * header.pairs + 1) * 8;
  return fits ? "" : "its header contradicts itself";
}

Error damaged(const std::filesystem::path& path, std::string_view fault) {
  return Error("cannot use {}: {}; prepare the dataset again", path.string(), fault);
}

std::filesystem::path besides(std::filesystem::path path, std::string_view suffix) {
  path += "." + std::string(suffix) + "-" + std::to_string(::getpid());
  return path;
}

// The i-th of a file's values.
template <typename Value>
Value valueAt(const void* values, std::uint64_t i) {
  Value value;
  std::memcpy(&value, static_cast<const char*>(values) + i * sizeof value, sizeof value);
  return value;
}

template <typename Id>
void copyIds(const unsigned char* data, std::int64_t size, std::int64_t* out) {
  for (std::int64_t i = 0; i < size; ++i)
    out[i] = static_cast<std::int64_t>(valueAt<Id>(data, static_cast<std::uint64_t>(i)));
}

std::uint64_t offsetAt(const char* offsets, std::uint64_t i) {
  return valueAt<std::uint64_t>(offsets, i);
}

// Throws if a sentence begins before the previous one ends, or if the sides do not have as many ids
// as the header says.
void checkPlaces(const char* offsets, const Header& header, const std::filesystem::path& path) {
  std::uint64_t lengths[2] = {0, 0}, begin = offsetAt(offsets, 0);
  if (begin != 0) throw damaged(path, "its first sentence does not begin at its first id");
  for (std::uint64_t sentence = 0; sentence < 2 * header.pairs; ++sentence) {
    const std::uint64_t end = offsetAt(offsets, sentence + 1);
    if (end < begin || end > header.tokens[0] + header.tokens[1])
      throw damaged(path, fmt::format("the place of pair {} is outside the file", sentence / 2));
    lengths[sentence % 2] += end - begin;
    begin = end;
  }
  if (lengths[0] != header.tokens[0] || lengths[1] != header.tokens[1])
    throw damaged(path, "the total length of its sentences differs from its header");
}

struct IdRange {
  std::uint32_t least = std::numeric_limits<std::uint32_t>::max(), most = 0;
};

template <typename Id>
IdRange rangeOf(const char* ids, std::uint64_t count) {
  Id least = std::numeric_limits<Id>::max(), most = 0;
  for (std::uint64_t i = 0; i < count; ++i) {
    const Id id = valueAt<Id>(ids, i);
    least = std::min(least, id);
    most = std::max(most, id);
  }
  return {least, most};
}

// The same for many ids: blocks of 64 bytes, lane by lane, become vector instructions.
template <typename Id>
IdRange rangeOfMany(const char* ids, std::uint64_t count) {
  constexpr std::uint64_t kLanes = 64 / sizeof(Id);
  std::array<Id, kLanes> least, most, block;
  least.fill(std::numeric_limits<Id>::max());
  most.fill(0);
  std::uint64_t done = 0;
  for (; done + kLanes <= count; done += kLanes) {
    std::memcpy(block.data(), ids + done * sizeof(Id), sizeof block);
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      least[lane] = std::min(least[lane], block[lane]);
      most[lane] = std::max(most[lane], block[lane]);
    }
  }
  const IdRange rest = rangeOf<Id>(ids + done * sizeof(Id), count - done);
  return {std::min<std::uint32_t>(rest.least, *std::ranges::min_element(least)),
          std::max<std::uint32_t>(rest.most, *std::ranges::max_element(most))};
}

// Throws at the first id that is neither a word of its side nor <unk>. Most corpora pass by one
// range check over all ids; if one side has fewer words, its sentences are checked one by one.
template <typename Id>
void checkIds(const char* ids, const char* offsets, const Header& header,
              const std::filesystem::path& path) {
  const auto [fewest, most] = std::minmax(header.vocabularySizes[0], header.vocabularySizes[1]);
  const IdRange all = rangeOfMany<Id>(ids, header.tokens[0] + header.tokens[1]);
  if (all.least >= kUnknownId && all.most < fewest) return;
  const bool broken = all.least < kUnknownId || all.most >= most;
  for (std::uint64_t sentence = 0; sentence < 2 * header.pairs; ++sentence) {
    const std::uint64_t words = header.vocabularySizes[sentence % 2];
    if (words == most && !broken) continue;
    const std::uint64_t begin = offsetAt(offsets, sentence), end = offsetAt(offsets, sentence + 1);
    if (begin == end) continue;
    const IdRange range = rangeOf<Id>(ids + begin * sizeof(Id), end - begin);
    if (range.least >= kUnknownId && range.most < words) continue;
    throw damaged(path,
                  fmt::format("pair {} has the {} id {}, but its {} words have ids from {}",
                              sentence / 2, sentence % 2 == 0 ? "source" : "target",
                              range.most < words ? range.least : range.most, words, kUnknownId));
  }
}

void checkContent(std::string_view file, const Header& header, const std::filesystem::path& path) {
  const char* offsets = file.data() + header.offsetsAt;
  checkPlaces(offsets, header, path);
  const auto check = header.width == 2 ? checkIds<std::uint16_t> : checkIds<std::uint32_t>;
  check(file.data() + header.idsAt, offsets, header, path);
}

}  // namespace

TokenId IdSpan::operator[](std::int64_t i) const {
  std::uint32_t id = 0;
  std::memcpy(&id, data_ + i * width_, static_cast<std::size_t>(width_));
  return static_cast<TokenId>(id);
}

void IdSpan::copyTo(std::int64_t* out) const {
  if (width_ == 2) {
    copyIds<std::uint16_t>(data_, size_, out);
  } else {
    copyIds<std::uint32_t>(data_, size_, out);
  }
}

std::vector<TokenId> IdSpan::toVector() const {
  std::vector<TokenId> ids;
  ids.reserve(static_cast<std::size_t>(size_));
  for (std::int64_t i = 0; i < size_; ++i) ids.push_back((*this)[i]);
  return ids;
}

Corpus::Corpus(const std::filesystem::path& path) : file_(path) {
  const std::string_view view = file_.view();
  if (view.size() < kHeaderBytes) throw damaged(path, "it is shorter than a corpus header");
  Header header;
  std::memcpy(&header, view.data(), kHeaderBytes);
  if (const std::string fault = faultOf(header, view.size()); !fault.empty())
    throw damaged(path, fault);
  checkContent(view, header, path);
  pairs_ = static_cast<std::int64_t>(header.pairs);
  for (std::size_t side = 0; side < 2; ++side) {
    tokens_[side] = static_cast<std::int64_t>(header.tokens[side]);
    vocabularySizes_[side] = static_cast<std::int64_t>(header.vocabularySizes[side]);
  }
  width_ = static_cast<int>(header.width);
  idsAt_ = header.idsAt;
  offsetsAt_ = header.offsetsAt;
  digest_.assign(header.digest, sizeof header.digest);
}

std::pair<std::uint64_t, std::uint64_t> Corpus::range(CorpusSide side, std::int64_t pair) const {
  if (pair < 0 || pair >= pairs_)
    throw Error("{} has no pair {}; it has {}", path().string(), pair, pairs_);
  const std::size_t index = static_cast<std::size_t>(pair) * 2 + static_cast<std::size_t>(side);
  const char* offsets = file_.view().data() + offsetsAt_;
  const std::uint64_t begin = offsetAt(offsets, index), end = offsetAt(offsets, index + 1);
  if (begin > end || end > static_cast<std::uint64_t>(tokens_[0] + tokens_[1]))
    throw damaged(path(), fmt::format("the place of pair {} is outside the file", pair));
  return {begin, end};
}

IdSpan Corpus::ids(CorpusSide side, std::int64_t pair) const {
  const auto [begin, end] = range(side, pair);
  const auto* bytes = reinterpret_cast<const unsigned char*>(file_.view().data() + idsAt_);
  return {bytes + begin * static_cast<std::uint64_t>(width_),
          static_cast<std::int64_t>(end - begin), width_};
}

std::int64_t Corpus::length(CorpusSide side, std::int64_t pair) const {
  const auto [begin, end] = range(side, pair);
  return static_cast<std::int64_t>(end - begin);
}

void Corpus::verify() const {
  if (digestOf(file_.view().substr(kHeaderBytes)) != digest_)
    throw damaged(path(), "its content is damaged");
}

CorpusWriter::CorpusWriter(const std::filesystem::path& path, std::int64_t sourceVocabularySize,
                           std::int64_t targetVocabularySize)
    : path_(path),
      vocabularySizes_{sourceVocabularySize, targetVocabularySize},
      width_(std::max(sourceVocabularySize, targetVocabularySize) <= kShortIds ? 2 : 4) {
  std::error_code ignored;  // opening the files reports the problem
  if (path.has_parent_path()) std::filesystem::create_directories(path.parent_path(), ignored);
  ids_.path = besides(path, "partial");
  offsets_.path = besides(path, "offsets");
  for (File* file : {&ids_, &offsets_}) {
    file->stream = std::fopen(file->path.c_str(), "w+be");
    if (file->stream == nullptr) {
      const int reason = errno;
      close();
      throw Error("cannot write {}: {}", file->path.string(), std::strerror(reason));
    }
    std::setvbuf(file->stream, nullptr, _IOFBF, 1 << 18);
  }
  // Without a name it cannot stay behind, whatever happens.
  if (::unlink(offsets_.path.c_str()) != 0) {
    const int reason = errno;
    close();
    throw Error("cannot remove {}: {}", offsets_.path.string(), std::strerror(reason));
  }
  const std::string empty(kHeaderBytes, '\0');
  write(ids_, empty.data(), empty.size());
}

CorpusWriter::~CorpusWriter() {
  close();
}

// Closes both files and removes the one that has a name; nothing remains to be done after finish().
void CorpusWriter::close() {
  if (ids_.stream != nullptr) ::unlink(ids_.path.c_str());
  for (File* file : {&ids_, &offsets_}) {
    if (file->stream != nullptr) std::fclose(file->stream);
    file->stream = nullptr;
  }
}

void CorpusWriter::add(std::span<const TokenId> source, std::span<const TokenId> target) {
  addSide(source, 0);
  addSide(target, 1);
  ++pairs_;
}

void CorpusWriter::addSide(std::span<const TokenId> ids, int side) {
  const auto at = static_cast<std::size_t>(side);
  const auto offset = static_cast<std::uint64_t>(tokens_[0] + tokens_[1]);
  write(offsets_, &offset, sizeof offset);
  const auto width = static_cast<std::size_t>(width_);
  buffer_.resize(ids.size() * width);
  unsigned char* out = buffer_.data();
  for (const TokenId id : ids) {
    if (id < kUnknownId || id >= vocabularySizes_[at]) {
      throw Error("{}: pair {} has the {} id {}, but its {} words have ids from {}", path_.string(),
                  pairs_, side == 0 ? "source" : "target", id, vocabularySizes_[at], kUnknownId);
    }
    std::memcpy(out, &id, width);  // little-endian: the low bytes
    out += width;
  }
  tokens_[at] += static_cast<std::int64_t>(ids.size());
  writeContent(buffer_.data(), buffer_.size());
}

void CorpusWriter::write(File& file, const void* bytes, std::size_t size) {
  if (size > 0 && std::fwrite(bytes, 1, size, file.stream) != size) {
    throw Error("cannot write {}: {}", file.path.string(), std::strerror(errno));
  }
}

// Writes after the header; the digest covers these bytes.
void CorpusWriter::writeContent(const void* bytes, std::size_t size) {
  digestState_.add({static_cast<const char*>(bytes), size});
  write(ids_, bytes, size);
}

void CorpusWriter::appendOffsets() {
  const auto end = static_cast<std::uint64_t>(tokens_[0] + tokens_[1]);
  write(offsets_, &end, sizeof end);
  if (std::fflush(offsets_.stream) != 0 || std::fseek(offsets_.stream, 0, SEEK_SET) != 0) {
    throw Error("cannot write {}: {}", offsets_.path.string(), std::strerror(errno));
  }
  const std::uint64_t zero = 0;
  const std::size_t padding = (8 - end * static_cast<std::uint64_t>(width_) % 8) % 8;
  writeContent(&zero, padding);
  std::vector<char> block(1 << 18);
  for (std::size_t got; (got = std::fread(block.data(), 1, block.size(), offsets_.stream)) > 0;) {
    writeContent(block.data(), got);
  }
  if (std::ferror(offsets_.stream) != 0) throw Error("cannot read {}", offsets_.path.string());
}

std::string CorpusWriter::header(const std::string& digest) const {
  Header header{};
  std::copy(kCorpusMagic.begin(), kCorpusMagic.end(), header.magic);
  header.version = kVersion;
  header.width = static_cast<std::uint32_t>(width_);
  header.pairs = static_cast<std::uint64_t>(pairs_);
  for (std::size_t side = 0; side < 2; ++side) {
    header.tokens[side] = static_cast<std::uint64_t>(tokens_[side]);
    header.vocabularySizes[side] = static_cast<std::uint64_t>(vocabularySizes_[side]);
  }
  const std::uint64_t idBytes = (header.tokens[0] + header.tokens[1]) * header.width;
  header.idsAt = kHeaderBytes;
  header.offsetsAt = kHeaderBytes + (idBytes + 7) / 8 * 8;
  header.fileSize = header.offsetsAt + (2 * header.pairs + 1) * 8;
  std::copy(digest.begin(), digest.end(), header.digest);
  header.checksum = checksumOf(header);
  return {reinterpret_cast<const char*>(&header), sizeof header};
}

std::string CorpusWriter::finish() {
  appendOffsets();
  const std::string digest = digestState_.hex();
  const std::string head = header(digest);
  if (std::fseek(ids_.stream, 0, SEEK_SET) != 0) throw Error("cannot write {}", ids_.path.string());
  write(ids_, head.data(), head.size());
  if (std::fflush(ids_.stream) != 0 || ::fsync(::fileno(ids_.stream)) != 0) {
    throw Error("cannot write {}: {}", ids_.path.string(), std::strerror(errno));
  }
  std::error_code failed;
  std::filesystem::rename(ids_.path, path_, failed);
  if (failed) throw Error("cannot replace {}: {}", path_.string(), failed.message());
  std::fclose(ids_.stream);
  ids_.stream = nullptr;
  close();
  syncToDisk(path_.has_parent_path() ? path_.parent_path() : std::filesystem::path("."));
  return digest;
}

}  // namespace strata
