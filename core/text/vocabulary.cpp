#include "core/text/vocabulary.h"

#include <spdlog/spdlog.h>

#include <array>
#include <iterator>

#include "core/base/byte_order_mark.h"
#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/utf8.h"
#include "core/text/counted_words.h"
#include "core/text/foreign_vocabulary.h"
#include "core/text/words.h"

namespace strata {
namespace {

constexpr std::array<std::string_view, 4> kSpecials{"<s>", "<pad>", "</s>", "<unk>"};
constexpr std::int32_t kUnknown = 3;

}  // namespace

Vocabulary::Vocabulary()
    : words_(kSpecials.begin(), kSpecials.end()), counts_(kSpecials.size(), 0) {
  ids_.emplace(words_[kUnknown], kUnknown);
}

Vocabulary Vocabulary::read(const std::filesystem::path& path) {
  const std::string text = readTextFile(path);
  refuseForeignVocabulary(text, path.string());
  Vocabulary vocabulary = parse(text, path.string());
  if (vocabulary.size() == static_cast<std::int64_t>(kSpecials.size()))
    throw Error("{}: is empty; expected a word and its count on each line", path.string());
  for (const std::string_view special : kSpecials) {
    if (special == kSpecials[kUnknown] || !vocabulary.ids_.contains(special)) continue;
    spdlog::warn("{}: \"{}\" is read as an ordinary word: the program adds its own", path.string(),
                 special);
  }
  return vocabulary;
}

Vocabulary Vocabulary::parse(std::string_view text, std::string_view where) {
  Vocabulary vocabulary;
  bool hasUnknown = false;
  for (std::int64_t number = 1; !text.empty(); ++number) {
    std::string_view line = takeLine(text);
    if (const auto bad = firstInvalidUtf8(line)) {
      throw Error("{}:{}: byte {} is not valid UTF-8", where, number, *bad + 1);
    }
    if (line.ends_with('\r')) line.remove_suffix(1);
    const auto [word, count] = countedWord(line, where, number);
    if (vocabulary.ids_.contains(word) && (word != kSpecials[kUnknown] || hasUnknown))
      throw Error("{}:{}: \"{}\" is in this vocabulary twice", where, number, word);
    if (word == kSpecials[kUnknown]) {
      hasUnknown = true;
      vocabulary.counts_[kUnknown] = count;
    } else {
      vocabulary.add(std::string(word), count);
    }
  }
  return vocabulary;
}

std::string Vocabulary::toText() const {
  std::string text;
  for (std::size_t id = kSpecials.size(); id < words_.size(); ++id)
    fmt::format_to(std::back_inserter(text), "{} {}\n", words_[id], counts_[id]);
  return text;
}

void Vocabulary::write(const std::filesystem::path& path) const {
  writeFileAtomic(path, toText());
}

std::int32_t Vocabulary::add(std::string word, std::int64_t count) {
  const auto id = static_cast<std::int32_t>(words_.size());
  if (!ids_.emplace(word, id).second) throw Error("\"{}\" is already in the vocabulary", word);
  words_.push_back(std::move(word));
  counts_.push_back(count);
  return id;
}

std::int32_t Vocabulary::idOf(std::string_view word) const {
  const auto found = ids_.find(word);
  return found == ids_.end() ? kUnknown : found->second;
}

const std::string& Vocabulary::wordOf(std::int32_t id) const {
  if (id < 0 || id >= size())
    throw Error("token id {} is outside the vocabulary of {} words", id, size());
  return words_[static_cast<std::size_t>(id)];
}

std::vector<std::string> Vocabulary::wordsOf(const std::vector<std::int32_t>& ids) const {
  std::vector<std::string> words;
  for (const std::int32_t id : ids) words.push_back(wordOf(id));
  return words;
}

std::int64_t Vocabulary::countOf(std::int32_t id) const {
  wordOf(id);
  return counts_[static_cast<std::size_t>(id)];
}

std::vector<std::int32_t> Vocabulary::encode(std::string_view line) const {
  std::vector<std::int32_t> ids;
  forEachWord(line, [&](std::string_view word) { ids.push_back(idOf(word)); });
  return ids;
}

std::string Vocabulary::decode(const std::vector<std::int32_t>& ids) const {
  std::string line;
  for (const std::int32_t id : ids) {
    const std::string& word = wordOf(id);
    if (id < kUnknown) continue;
    if (!line.empty()) line += ' ';
    line += word;
  }
  return line;
}

}  // namespace strata
