#include "core/text/bpe_codes.h"

#include <bit>
#include <unordered_set>

#include "core/base/error.h"
#include "core/text/words.h"

namespace strata {
namespace {

std::pair<std::string, std::string> readMerge(std::string_view line, std::string_view where,
                                              std::int64_t number) {
  const std::string_view merge = trimmed(line, "\r ");
  const std::size_t space = merge.find(' ');
  if (space == std::string_view::npos || merge.find(' ', space + 1) != std::string_view::npos) {
    throw Error("{}:{}: not a line of BPE codes: expected two symbols separated by one space",
                where, number);
  }
  return {std::string(merge.substr(0, space)), std::string(merge.substr(space + 1))};
}

}  // namespace

BpeCodes::BpeCodes(std::string_view text, std::string_view where, std::int64_t merges) {
  const std::string_view body = readHeader(text, where);
  std::int64_t number = body.size() == text.size() ? 1 : 2;
  if (text.empty()) throw Error("{}: empty; expected BPE codes", where);
  std::vector<std::pair<std::string, std::string>> lines;
  std::string_view rest = body.substr(0, body.find_last_not_of('\n') + 1);
  while (!rest.empty() && (merges < 0 || static_cast<std::int64_t>(lines.size()) < merges)) {
    lines.push_back(readMerge(takeLine(rest), where, number++));
  }
  addMerges(lines);
  addParts(lines);
  fillAsciiTable();
  endSymbol_ = symbolOf(std::string(kWordEnd));
}

// Returns what follows the header line, or everything if there is none.
std::string_view BpeCodes::readHeader(std::string_view text, std::string_view where) {
  constexpr std::string_view kMark = "#version:";
  if (!text.starts_with(kMark)) return text;
  std::string_view version = trimmed(takeLine(text).substr(kMark.size()), " \t\r");
  while (version.size() > 3 && version.ends_with(".0")) version.remove_suffix(2);
  if (version != "0.1" && version != "0.2") {
    throw Error("{}:1: unknown version \"{}\" of BPE codes; expected 0.1 or 0.2", where, version);
  }
  endIsSymbol_ = version == "0.1";
  return text;
}

void BpeCodes::addMerges(const std::vector<std::pair<std::string, std::string>>& merges) {
  slots_.resize(std::bit_ceil(merges.size() * 2 + 16));
  for (std::size_t rank = 0; rank < merges.size(); ++rank) {
    const auto& [left, right] = merges[rank];
    const Symbol leftSymbol = intern(left), rightSymbol = intern(right),
                 merged = intern(left + right);
    const std::uint64_t key = keyOf(leftSymbol, rightSymbol);
    std::size_t slot = slotOf(key);
    while (slots_[slot].key != kFree && slots_[slot].key != key)
      slot = (slot + 1) & (slots_.size() - 1);
    if (slots_[slot].key == key) continue;  // a repeated line: the first counts
    slots_[slot] = {key, {static_cast<std::uint32_t>(rank), merged}};
  }
}

// A string that two merges produce is undone by the earlier one, and a repeated merge counts at its
// last position.
void BpeCodes::addParts(const std::vector<std::pair<std::string, std::string>>& merges) {
  std::unordered_set<std::string> seen;  // "left right" of merges further down
  for (auto merge = merges.rbegin(); merge != merges.rend(); ++merge) {
    if (!seen.emplace(merge->first + " " + merge->second).second) continue;
    parts_[merge->first + merge->second] = *merge;
  }
}

void BpeCodes::fillAsciiTable() {
  for (std::size_t c = 0; c < 128; ++c) {
    const std::string text(1, static_cast<char>(c));
    ascii_[0][c] = symbolOf(text);
    ascii_[1][c] = symbolOf(text + std::string(kWordEnd));
  }
}

BpeCodes::Symbol BpeCodes::intern(const std::string& text) {
  return symbols_.emplace(text, static_cast<Symbol>(symbols_.size())).first->second;
}

BpeCodes::Symbol BpeCodes::symbolOf(const std::string& text) const {
  const auto found = symbols_.find(text);
  return found == symbols_.end() ? kNoSymbol : found->second;
}

BpeCodes::Symbol BpeCodes::characterSymbol(std::string_view character, int final) const {
  if (character.size() == 1 && static_cast<unsigned char>(character[0]) < 128) {
    return ascii_[static_cast<std::size_t>(final)][static_cast<std::size_t>(character[0])];
  }
  std::string text(character);
  if (final != 0) text += kWordEnd;
  return symbolOf(text);
}

const std::pair<std::string, std::string>* BpeCodes::partsOf(const std::string& merged) const {
  const auto found = parts_.find(merged);
  return found == parts_.end() ? nullptr : &found->second;
}

}  // namespace strata
