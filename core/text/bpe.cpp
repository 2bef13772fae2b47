#include "core/text/bpe.h"

#include <algorithm>
#include <cstring>
#include <optional>

#include "core/base/byte_order_mark.h"
#include "core/base/digest.h"
#include "core/base/error.h"
#include "core/text/bpe_codes.h"
#include "core/text/bpe_glossary.h"
#include "core/text/bpe_word.h"
#include "core/text/counted_words.h"
#include "core/text/foreign_vocabulary.h"
#include "core/text/words.h"

namespace strata {
namespace {

constexpr std::size_t kLongestCachedWord = 256;  // bytes

bool isSingleCharacter(std::string_view word) {
  return std::count_if(word.begin(), word.end(),
                       [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }) <= 1;
}

void refuseRepeatedWords(std::string_view text, std::string_view where) {
  std::unordered_set<std::string_view> seen;
  for (std::int64_t number = 1; !text.empty(); ++number) {
    const std::string_view word = countedWord(trimmed(takeLine(text), "\r "), where, number).word;
    if (!seen.insert(word).second)
      throw Error("{}:{}: \"{}\" is in this vocabulary twice", where, number, word);
  }
}

// Whether each line is a word and a whole number. Merges learned from text end words, too ("</w>"),
// and those of digits alone have a line with the version before them.
bool looksLikeVocabulary(std::string_view text) {
  if (text.empty() || text.starts_with("#version:")) return false;
  while (!text.empty()) {
    const std::string_view line = trimmed(takeLine(text), "\r ");
    const std::size_t space = std::min(line.find(' '), line.size());
    const std::string_view count = line.substr(std::min(space + 1, line.size()));
    if (count.empty() || count.find_first_not_of("0123456789") != count.npos) return false;
  }
  return true;
}

// Cached words with their units as text. Emptied when it reaches its size limit.
class WordCache {
 public:
  explicit WordCache(std::size_t bytes) : limit_(bytes) { clear(); }

  std::optional<std::string_view> find(std::string_view word, std::uint64_t hash) const {
    for (std::size_t slot = hash & mask();; slot = (slot + 1) & mask()) {
      const Entry& entry = table_[slot];
      if (entry.wordSize == 0) return std::nullopt;
      if (entry.hash != hash || entry.wordSize != word.size()) continue;
      const char* bytes = bytes_.data() + entry.begin;
      if (std::memcmp(bytes, word.data(), word.size()) != 0) continue;
      return std::string_view(bytes + entry.wordSize, entry.unitsSize);
    }
  }

  void add(std::string_view word, std::uint64_t hash, std::string_view units) {
    const std::size_t size = word.size() + units.size();
    if (bytes_.size() + size + table_.size() * sizeof(Entry) > limit_) clear();
    if (size + table_.size() * sizeof(Entry) > limit_) return;
    if (++used_ * 2 > table_.size()) grow();
    const Entry entry{hash, bytes_.size(), static_cast<std::uint32_t>(word.size()),
                      static_cast<std::uint32_t>(units.size())};
    bytes_.append(word);
    bytes_.append(units);
    place(entry);
  }

  void clear() {
    bytes_.clear();
    table_.assign(1 << 10, {});
    used_ = 0;
  }

 private:
  struct Entry {
    std::uint64_t hash = 0;
    std::size_t begin = 0;
    std::uint32_t wordSize = 0;  // 0: free
    std::uint32_t unitsSize = 0;
  };

  std::size_t mask() const { return table_.size() - 1; }
  void place(const Entry& entry) {
    std::size_t slot = entry.hash & mask();
    while (table_[slot].wordSize != 0) slot = (slot + 1) & mask();
    table_[slot] = entry;
  }
  void grow() {
    std::vector<Entry> old(table_.size() * 2);
    old.swap(table_);
    for (const Entry& entry : old) {
      if (entry.wordSize != 0) place(entry);
    }
  }

  std::size_t limit_;
  std::size_t used_ = 0;
  std::vector<Entry> table_;
  std::string bytes_;
};

}  // namespace

std::unordered_set<std::string> parseBpeVocabulary(std::string_view text, std::string_view where,
                                                   std::int64_t threshold) {
  std::unordered_set<std::string> vocabulary;
  for (std::int64_t number = 1; !text.empty(); ++number) {
    const auto [word, count] = countedWord(trimmed(takeLine(text), "\r "), where, number);
    if (threshold <= 0 || count >= threshold) vocabulary.emplace(word);
  }
  return vocabulary;
}

std::unordered_set<std::string> readBpeVocabulary(const std::filesystem::path& path,
                                                  std::int64_t threshold) {
  const std::string text = readTextFile(path);
  refuseForeignVocabulary(text, path.string());
  refuseRepeatedWords(text, path.string());
  auto vocabulary = parseBpeVocabulary(text, path.string(), threshold);
  if (!vocabulary.empty()) return vocabulary;
  if (text.empty())
    throw Error("{}: is empty; expected a word and its count on each line", path.string());
  throw Error("{}: no word of it occurs {} times: the vocabulary would have no effect",
              path.string(), threshold);
}

std::string readBpeCodes(const std::filesystem::path& path) {
  std::string codes = readTextFile(path);
  refuseForeignCodes(codes, path.string());
  if (looksLikeVocabulary(codes)) {
    throw Error(
        "{}: this is a vocabulary, a word and its count on each line; give a file of BPE codes, as "
        "`text bpe-learn` writes it",
        path.string());
  }
  return codes;
}

class Bpe::Implementation {
 public:
  Implementation(std::string_view codes, std::string_view where, BpeOptions options)
      : options_(std::move(options)),
        codes_(codes, where, options_.merges),
        splitter_(codes_, options_.dropout, options_.seed),
        glossary_(options_.glossary),
        cache_(options_.cacheBytes) {
    if (!(options_.dropout >= 0 && options_.dropout <= 1)) {
      throw usageError("BPE dropout {} is not a probability: give a number from 0 to 1",
                       options_.dropout);
    }
  }

  void setVocabulary(std::unordered_set<std::string> vocabulary) {
    vocabulary_ = std::move(vocabulary);
    cache_.clear();
  }

  void apply(std::string_view line, std::string& out) {
    const std::string_view words = trimmed(line, "\r ");
    const auto begin = static_cast<std::size_t>(words.data() - line.data());
    out += line.substr(0, begin);
    bool isFirst = true;
    forEachWord(words, [&](std::string_view word) {
      if (!isFirst) out += ' ';
      isFirst = false;
      applyWord(word, out);
    });
    out += line.substr(begin + words.size());
  }

 private:
  void applyWord(std::string_view word, std::string& out) {
    if (options_.dropout > 0 || word.size() > kLongestCachedWord) {
      segment(word, out);
      return;
    }
    const std::uint64_t hash = checksum64(word);
    if (const auto known = cache_.find(word, hash)) {
      out += *known;
      return;
    }
    const std::size_t begin = out.size();
    segment(word, out);
    cache_.add(word, hash, std::string_view(out).substr(begin));
  }

  void segment(std::string_view word, std::string& out) {
    atFirstUnit_ = true;
    if (glossary_.empty()) {
      segmentPart(word, out);
      return;
    }
    for (const std::string& part : glossary_.isolate(word)) {
      if (glossary_.keepsWhole(part)) {
        addUnit(part, out);
      } else {
        segmentPart(part, out);
      }
    }
  }

  void segmentPart(std::string_view part, std::string& out) {
    if (isSingleCharacter(part)) {
      addUnit(part, out);
      return;
    }
    const std::vector<std::string_view>& units = splitter_.split(part);
    if (vocabulary_.empty()) {
      for (const std::string_view unit : units) addUnit(unit, out);
    } else {
      for (const std::string& unit :
           splitUnknownUnits(units, codes_, vocabulary_, options_.separator)) {
        addUnit(unit, out);
      }
    }
  }

  void addUnit(std::string_view unit, std::string& out) {
    if (!atFirstUnit_) {
      out += options_.separator;
      out += ' ';
    }
    atFirstUnit_ = false;
    out += unit;
  }

  BpeOptions options_;
  BpeCodes codes_;
  BpeWordSplitter splitter_;
  BpeGlossary glossary_;
  std::unordered_set<std::string> vocabulary_;
  WordCache cache_;
  bool atFirstUnit_ = true;
};

Bpe::Bpe(std::string_view codes, std::string_view where, BpeOptions options)
    : implementation_(std::make_unique<Implementation>(codes, where, std::move(options))) {}
Bpe::~Bpe() = default;
Bpe::Bpe(Bpe&&) noexcept = default;
Bpe& Bpe::operator=(Bpe&&) noexcept = default;

Bpe Bpe::read(const std::filesystem::path& path, BpeOptions options) {
  return Bpe(readBpeCodes(path), path.string(), std::move(options));
}

void Bpe::setVocabulary(std::unordered_set<std::string> vocabulary) {
  implementation_->setVocabulary(std::move(vocabulary));
}

void Bpe::apply(std::string_view line, std::string& out) {
  implementation_->apply(line, out);
}

std::string Bpe::apply(std::string_view line) {
  std::string out;
  implementation_->apply(line, out);
  return out;
}

std::string Bpe::join(std::string_view units, std::string_view separator) {
  std::string out;
  if (separator.empty()) return std::string(units);
  while (!units.empty()) {
    const std::size_t mark = units.find(separator);
    if (mark == std::string_view::npos) break;
    const std::size_t behind = mark + separator.size();
    const bool joins = behind == units.size() || units[behind] == ' ';
    out += units.substr(0, joins ? mark : behind);
    units.remove_prefix(std::min(behind + (joins ? 1 : 0), units.size()));
  }
  out += units;
  return out;
}

}  // namespace strata
