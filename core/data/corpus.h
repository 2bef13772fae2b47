#pragma once
#include <array>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/base/digest.h"
#include "core/base/files.h"
#include "core/data/batch.h"

namespace strata {

// The mapped corpus format (one file per split, little-endian):
//   header   128 bytes: magic "STRATACO", version, bytes an id, pairs, ids of both sides,
//   vocabulary sizes, positions of
//            the two sections, file size, XXH3-128 of everything after the header, checksum of the
//            header
//   ids      uint16 or uint32: source of pair 0, target of pair 0, source of pair 1, ... without
//   </s> offsets  uint64 x (2 x pairs + 1): where each of these sentences starts, in ids
enum class CorpusSide { kSource = 0, kTarget = 1 };

// A view of one sentence's ids in a mapped corpus; valid as long as the corpus.
class IdSpan {
 public:
  IdSpan(const unsigned char* data, std::int64_t size, int width)
      : data_(data), size_(size), width_(width) {}
  std::int64_t size() const { return size_; }
  TokenId operator[](std::int64_t i) const;
  void copyTo(std::int64_t* out) const;  // size() ids
  std::vector<TokenId> toVector() const;

 private:
  const unsigned char* data_;
  std::int64_t size_;
  int width_;  // bytes per id: 2 or 4
};

// A split's sentence pairs as ids. Reading is safe from any number of threads.
class Corpus {
 public:
  // Maps the file and checks header, offsets and ids; damage is an Error that names the file.
  explicit Corpus(const std::filesystem::path& path);

  std::int64_t pairs() const { return pairs_; }
  std::int64_t tokens(CorpusSide side) const {
    return tokens_[static_cast<int>(side)];
  }  // without </s>
  std::int64_t vocabularySize(CorpusSide side) const {
    return vocabularySizes_[static_cast<int>(side)];
  }
  IdSpan ids(CorpusSide side, std::int64_t pair) const;
  std::int64_t length(CorpusSide side, std::int64_t pair) const;  // without </s>
  const std::string& digest() const { return digest_; }           // as in the header
  const std::filesystem::path& path() const { return file_.path(); }

  // Reads everything and throws an Error naming the file if its digest does not match.
  void verify() const;

 private:
  std::pair<std::uint64_t, std::uint64_t> range(CorpusSide side, std::int64_t pair) const;

  MappedFile file_;
  std::int64_t pairs_ = 0;
  std::array<std::int64_t, 2> tokens_{}, vocabularySizes_{};
  int width_ = 2;
  std::size_t idsAt_ = 0, offsetsAt_ = 0;
  std::string digest_;
};

// Writes a corpus pair by pair: memory does not grow with it, and the file appears completely at
// finish() or not at all.
class CorpusWriter {
 public:
  CorpusWriter(const std::filesystem::path& path, std::int64_t sourceVocabularySize,
               std::int64_t targetVocabularySize);
  ~CorpusWriter();  // removes temporary files if finish() was not reached
  CorpusWriter(const CorpusWriter&) = delete;
  CorpusWriter& operator=(const CorpusWriter&) = delete;

  // Ids of words and <unk>, each below its side's vocabulary size.
  void add(std::span<const TokenId> source, std::span<const TokenId> target);
  std::int64_t pairs() const { return pairs_; }
  // Returns the digest of the content.
  std::string finish();

 private:
  struct File {
    std::filesystem::path path;
    std::FILE* stream = nullptr;
  };
  void addSide(std::span<const TokenId> ids, int side);
  void write(File& file, const void* bytes, std::size_t size);
  void writeContent(const void* bytes, std::size_t size);
  void appendOffsets();
  std::string header(const std::string& digest) const;
  void close();

  std::filesystem::path path_;
  std::array<std::int64_t, 2> vocabularySizes_;
  int width_;
  std::int64_t pairs_ = 0;
  std::array<std::int64_t, 2> tokens_{};
  File ids_, offsets_;
  Digest digestState_;
  std::vector<unsigned char> buffer_;
};

}  // namespace strata
