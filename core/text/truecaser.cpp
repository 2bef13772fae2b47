#include "core/text/truecaser.h"

#include <algorithm>
#include <cstddef>
#include <deque>
#include <utility>

#include "core/base/byte_order_mark.h"
#include "core/base/error.h"
#include "core/text/casing.h"
#include "core/text/character_classes.h"
#include "core/text/words.h"

namespace strata {
namespace {

bool isOneOf(std::string_view word, std::initializer_list<std::string_view> words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

bool endsSentence(std::string_view word) {
  return word.size() == 1 && isOneOf(word, {".", ":", "?", "!"});
}

// Opening marks: the sentence begins after them.
bool delaysSentenceStart(std::string_view word) {
  return word.size() <= 6 &&
         isOneOf(word, {"(", "[", "\"", "'", "&apos;", "&quot;", "&#91;", "&#93;"});
}

// Whether the word after `word` begins a sentence; `begins`: whether `word` does.
bool sentenceBeginsAfter(std::string_view word, bool begins) {
  return endsSentence(word) || (begins && delaysSentenceStart(word));
}

// Calls `use` with each word of a line: the parts between white space.
template <typename Use>
void forEachPart(std::string_view line, Use use) {
  for (std::size_t i = skipWhiteSpace(line, 0); i < line.size(); i = skipWhiteSpace(line, i)) {
    const std::size_t end = findWhiteSpace(line, i);
    use(line.substr(i, end - i));
    i = end;
  }
}

// Whether a word contains a cased letter.
bool hasCase(std::string_view word) {
  const CharacterClasses classes;
  for (std::size_t i = 0; i < word.size();) {
    if (classes.is(decodeUtf8(word, i), kCasedLetter)) return true;
  }
  return false;
}

// The words of a line and the XML tags before each of them (and, last, after all words), each tag
// followed by a space except the very last one.
struct MarkedLine {
  std::vector<std::string_view> words;
  std::vector<std::string> markup;  // one more than words
  std::deque<std::string> joined;   // words that are not contiguous in the line
};

// Length of the XML tag at the start of `text`: <, a character that is not white space, up to >. 0
// if there is none.
std::size_t tagLength(std::string_view text) {
  if (text.size() < 3 || text.front() != '<' || findWhiteSpace(text, 1) == 1) return 0;
  std::size_t first = 1;
  decodeUtf8(text, first);
  const std::size_t end = text.find('>', first);
  return end == std::string_view::npos ? 0 : end + 1;
}

enum class TagsInFactors { kNo, kYes };

void splitXml(std::string_view line, TagsInFactors tagsInFactors, MarkedLine& out) {
  out.words.clear();
  out.joined.clear();
  out.markup.assign(1, {});
  std::size_t end = 0;  // of the last word or tag
  for (std::size_t i = skipWhiteSpace(line, 0); i < line.size(); i = skipWhiteSpace(line, end)) {
    const std::string_view rest = line.substr(i);
    if (const std::size_t tag = tagLength(rest); tag > 0) {
      const bool inFactor = tagsInFactors == TagsInFactors::kYes && i == end &&
                            !out.words.empty() && out.words.back().ends_with('|');
      end = i + tag;
      if (inFactor) {
        // A factor that is a tag belongs to its word, with the bars after it.
        while (end < line.size() && line[end] == '|') ++end;
        out.joined.push_back(std::string(out.words.back()).append(line, i, end - i));
        out.words.back() = out.joined.back();
      } else {
        out.markup.back().append(rest.substr(0, tag)).push_back(' ');
      }
      continue;
    }
    std::size_t length = findWhiteSpace(rest, 0);
    const std::size_t bracket = rest.substr(0, length).find_first_of("<>");
    if (bracket != 0 && bracket != std::string_view::npos) length = bracket;
    out.words.push_back(rest.substr(0, length));
    out.markup.emplace_back();
    end = i + length;
  }
  if (!out.markup.back().empty()) out.markup.back().pop_back();
}

}  // namespace

void TruecaserTrainer::add(std::string_view line) {
  thread_local MarkedLine marked;
  thread_local std::string lower;
  splitXml(line, TagsInFactors::kNo, marked);
  const auto& words = marked.words;
  std::size_t i = 0;
  while (i < words.size() && delaysSentenceStart(words[i])) ++i;
  for (bool first = true; i < words.size(); ++i, first = false) {
    if (first || endsSentence(words[i - 1]) || !hasCase(words[i])) continue;
    lowercaseIn(casing_, words[i], lower);
    auto& casings = casings_[lower];
    const auto casing = std::find_if(casings.begin(), casings.end(),
                                     [&](const Casing& c) { return c.word == words[i]; });
    if (casing != casings.end()) {
      ++casing->count;
    } else {
      casings.push_back({.word = std::string(words[i]), .count = 1});
    }
  }
}

std::string TruecaserTrainer::model() const {
  std::vector<std::string> lines;
  lines.reserve(casings_.size());
  for (const auto& [lower, casings] : casings_) {
    const auto best =
        std::max_element(casings.begin(), casings.end(),
                         [](const Casing& a, const Casing& b) { return a.count < b.count; });
    std::int64_t total = 0;
    std::vector<std::string> others;
    for (auto casing = casings.begin(); casing != casings.end(); ++casing) {
      total += casing->count;
      if (casing != best) others.push_back(fmt::format(" {} ({})", casing->word, casing->count));
    }
    std::sort(others.begin(), others.end());
    std::string& line =
        lines.emplace_back(fmt::format("{} ({}/{})", best->word, best->count, total));
    for (const std::string& other : others) line += other;
  }
  std::sort(lines.begin(), lines.end());
  std::string text;
  for (const std::string& line : lines) text.append(line).push_back('\n');
  return text;
}

Truecaser::Truecaser(const std::filesystem::path& model, const std::string& casing)
    : Truecaser(parse(readTextFile(model), model.string(), casing)) {}

Truecaser Truecaser::parse(std::string_view text, std::string_view name, std::string casing) {
  Truecaser truecaser(std::move(casing));
  for (std::int64_t number = 1; !text.empty(); ++number) {
    const std::string_view line = takeLine(text);
    if (const auto bad = firstInvalidUtf8(line)) {
      throw Error("{}: line {}, byte {} (from 0): not valid UTF-8", name, number, *bad);
    }
    truecaser.addLine(line);
  }
  return truecaser;
}

// The best casing, its counts, then every other casing followed by its count.
void Truecaser::addLine(std::string_view line) {
  std::vector<std::string_view> fields;
  forEachPart(line, [&](std::string_view field) { fields.push_back(field); });
  if (fields.empty()) return;
  std::string lower;
  lowercaseIn(casing_, fields[0], lower);
  best_.insert_or_assign(lower, std::string(fields[0]));
  known_.emplace(fields[0]);
  for (std::size_t i = 2; i + 1 < fields.size(); i += 2) known_.emplace(fields[i]);
}

void Truecaser::appendWord(std::string_view word, bool sentenceStart, std::string& out) const {
  thread_local std::string lower;
  if (!sentenceStart && known_.contains(word)) {
    out += word;
    return;
  }
  lowercaseIn(casing_, word, lower);
  const auto best = best_.find(lower);
  out += best != best_.end() ? std::string_view(best->second) : word;
}

void Truecaser::truecase(std::string_view line, std::string& out) const {
  thread_local MarkedLine marked;
  splitXml(line, TagsInFactors::kYes, marked);
  out.clear();
  bool sentenceStart = true;
  for (std::size_t i = 0; i < marked.words.size(); ++i) {
    if (i > 0 && marked.markup[i].empty()) out.push_back(' ');
    out += marked.markup[i];
    const std::string_view full = marked.words[i];
    // Factors follow the first bar; a word that begins with one has none.
    const std::size_t bar =
        full.front() == '|' ? full.size() : std::min(full.find('|'), full.size());
    const std::string_view word = full.substr(0, bar);
    appendWord(word, sentenceStart, out);
    out += full.substr(bar);
    sentenceStart = sentenceBeginsAfter(word, sentenceStart);
  }
  out += marked.markup.back();
}

void detruecase(std::string_view line, std::string& out) {
  detruecaseIn({}, line, out);
}

void detruecaseIn(const std::string& casing, std::string_view line, std::string& out) {
  out.clear();
  bool sentenceStart = true;
  forEachPart(line, [&](std::string_view word) {
    if (!out.empty()) out.push_back(' ');
    if (sentenceStart) {
      appendUppercasedFirstIn(casing, word, out);
    } else {
      out += word;
    }
    sentenceStart = sentenceBeginsAfter(word, sentenceStart);
  });
}

}  // namespace strata
