#include "core/text/foreign_vocabulary.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "core/base/error.h"
#include "core/base/parse_number.h"
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
  return parseNumber<double>(text).has_value();
}

// A piece, a tab and the logarithm of its probability.
bool isSentencePieceLine(std::string_view line) {
  const auto tab = line.find('\t');
  return tab != line.npos && tab > 0 && isNumber(line.substr(tab + 1));
}

// A count, and no logarithm.
bool hasCount(std::string_view line) {
  const std::string_view number = line.substr(line.find('\t') + 1);
  return !number.starts_with('-') && number.find_first_not_of("0.") != number.npos;
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

bool areDigits(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == text.npos;
}

// Two symbols and a count.
bool isFastBpeLine(std::string_view line) {
  const auto first = line.find(' '), last = line.rfind(' ');
  return first != last && line.find(' ', first + 1) == last && areDigits(line.substr(last + 1));
}

// Whether a symbol of it begins with the mark of a word's beginning: of GPT-2's bytes (a letter of
// Maltese, too), or of SentencePiece.
bool marksBeginning(std::string_view line) {
  constexpr std::string_view kMarks[] = {"\u0120", "\u2581"};
  const auto space = line.find(' ');
  if (space == line.npos) return false;
  const std::string_view second = line.substr(space + 1);
  return !areDigits(second) && std::ranges::any_of(kMarks, [&](std::string_view mark) {
    return line.starts_with(mark) || second.starts_with(mark);
  });
}

bool anyMarksBeginning(std::string_view text) {
  while (!text.empty()) {
    if (marksBeginning(takeLine(text))) return true;
  }
  return false;
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
        "written; their pieces become the vocabulary",
        where);
  }
  if (isJson(head)) {
    throw usageError(
        "{}: is {} in JSON, which is not read: write a word, a space and its count on each line, "
        "or leave it out and words of the training text become the vocabulary",
        where,
        head.find("\"added_tokens\"") != head.npos ? "a tokenizer of Hugging Face"
                                                   : "a vocabulary");
  }
  if (lines.empty()) return;
  const bool tabs = std::ranges::all_of(lines, isSentencePieceLine);
  if (tabs && std::ranges::any_of(lines, hasCount)) {
    throw usageError(
        "{}: is a vocabulary with tabs, as OpenNMT-py writes it: write spaces instead (`tr '\\t' ' "
        "'`), without its special tokens",
        where);
  }
  if (tabs) {
    throw usageError(
        "{}: is a vocabulary of SentencePiece, whose scores are no counts: leave it out, and "
        "pieces of the training text, as spm_encode has written it, become the vocabulary",
        where);
  }
  if (std::ranges::all_of(lines, isYamlLine)) {
    throw usageError(
        "{}: is a vocabulary in YAML, a word and its number, as Marian writes it: write a word, a "
        "space and its count on each line",
        where);
  }
}

void refuseForeignCodes(std::string_view text, std::string_view where) {
  refuseForeignVocabulary(text, where);
  const std::vector<std::string_view> lines = linesOf(text.substr(0, kHead));
  if (!lines.empty() && std::ranges::all_of(lines, isFastBpeLine)) {
    throw usageError(
        "{}: has codes of fastBPE, with counts: `(echo '#version: 0.2'; cut -d ' ' -f 1,2 FILE)` "
        "makes codes of it that are read",
        where);
  }
  if (text.find("</w>") == text.npos && anyMarksBeginning(text)) {
    throw usageError(
        "{}: has merges that mark where words begin, as Hugging Face's merges.txt, and are not "
        "read: give texts that their tokenizer has split; their pieces become the vocabulary",
        where);
  }
}

}  // namespace strata
