#include "core/text/foreign_vocabulary.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <vector>

#include "core/base/error.h"
#include "core/text/words.h"

namespace strata {
namespace {

constexpr std::size_t kHead = std::size_t{64} << 10;  // bytes that are looked at
constexpr std::size_t kLines = 20;                    // lines, likewise

// The first field of a message of protobuf, and of its first piece: both are fields 1 with a
// length.
bool isSentencePieceModel(std::string_view head) {
  return head.size() > 4 && head[0] == '\n' && head[2] == '\n' &&
         head.find('\0') != std::string_view::npos;
}

bool isNumber(std::string_view text) {
  double value = 0;
  const char* last = text.data() + text.size();
  return std::from_chars(text.data(), last, value) == std::from_chars_result{last, {}};
}

// A piece, a tab and the logarithm of its probability.
bool isSentencePieceLine(std::string_view line) {
  const auto tab = line.find('\t');
  return tab != line.npos && tab > 0 && isNumber(line.substr(tab + 1));
}

// "word: id", the word perhaps in quotes.
bool isYamlLine(std::string_view line) {
  const auto colon = line.rfind(": ");
  return colon != line.npos && colon > 0 && isNumber(line.substr(colon + 2));
}

bool isJson(std::string_view head) {
  head = trimmed(head, " \t\r\n");
  if (!head.starts_with('{')) return false;
  head = trimmed(head.substr(1), " \t\r\n");
  const auto key = head.find('"', 1);
  return head.starts_with('"') && key != head.npos &&
         trimmed(head.substr(key + 1), " \t\r\n").starts_with(':');
}

std::vector<std::string_view> linesOf(std::string_view head) {
  std::vector<std::string_view> lines;
  while (!head.empty() && lines.size() < kLines) {
    std::string_view line = takeLine(head);
    if (line.ends_with('\r')) line.remove_suffix(1);
    lines.push_back(line);
  }
  return lines;
}

}  // namespace

void refuseForeignVocabulary(std::string_view text, std::string_view where) {
  const std::string_view head = text.substr(0, kHead);
  const std::vector<std::string_view> lines = linesOf(head);
  if (isSentencePieceModel(head)) {
    throw usageError(
        "{}: is a model of SentencePiece, which is not read: give texts that spm_encode has "
        "written; "
        "their pieces become the vocabulary",
        where);
  }
  if (isJson(head)) {
    throw usageError(
        "{}: is {} in JSON, which is not read: write a word, a space and its count on each line, "
        "or "
        "leave it out and words of the training text become the vocabulary",
        where,
        head.find("\"added_tokens\"") != head.npos ? "a tokenizer of Hugging Face"
                                                   : "a vocabulary");
  }
  if (lines.empty()) return;
  if (std::ranges::all_of(lines, isSentencePieceLine)) {
    throw usageError(
        "{}: is a vocabulary of SentencePiece, whose scores are no counts: leave it out, and "
        "pieces "
        "of the training text, as spm_encode has written it, become the vocabulary",
        where);
  }
  if (std::ranges::all_of(lines, isYamlLine)) {
    throw usageError(
        "{}: is a vocabulary in YAML, a word and its number, as Marian writes it: write a word, a "
        "space and its count on each line",
        where);
  }
}

}  // namespace strata
