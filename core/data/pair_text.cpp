#include "core/data/pair_text.h"

#include <algorithm>
#include <limits>

#include "core/base/threads.h"

namespace strata {
namespace {

constexpr char kBarStandIn = '\x01';
constexpr std::size_t kPairsABlock = 8192, kBytesABlock = 8u << 20;
constexpr std::size_t kPairsAThread = 512;  // fewer are not worth a thread

CleanOptions cleanOptions(const PrepareOptions& options) {
  CleanOptions clean;
  clean.maximum =
      options.maxLength > 0 ? options.maxLength : std::numeric_limits<std::int64_t>::max();
  clean.ignoreRatio = options.ratio <= 0;
  if (options.ratio > 0) clean.ratio = options.ratio;
  return clean;
}

// Cleaning treats '|' as a separator of factors; here it is an ordinary character.
bool hideBars(std::string& line) {
  if (line.find('|') == std::string::npos || line.find(kBarStandIn) != std::string::npos)
    return false;
  std::replace(line.begin(), line.end(), '|', kBarStandIn);
  return true;
}

}  // namespace

PipelineSide normalSide(const PrepareOptions& options, int side) {
  PipelineSide result;
  result.language = side == 0 ? options.sourceLanguage : options.targetLanguage;
  result.tokenizer = options.tokenizer;
  result.lowercase = options.lowercase;
  return result;
}

bool PairBlock::isFull() const {
  return size() >= kPairsABlock || raw[0].bytes() + raw[1].bytes() >= kBytesABlock;
}

void PairBlock::clear() {
  for (LineBlock& side : raw) side.clear();
}

PairText::PairText(const PrepareOptions& options)
    : normal_(normalSide(options, 0), normalSide(options, 1)),
      cleaner_(cleanOptions(options)),
      threads_(options.threads) {}

std::string PairText::tokens(int side, std::string_view raw) const {
  return normal_.tokens(side == 0 ? Side::kSource : Side::kTarget, raw);
}

CleanVerdict PairText::read(std::string_view rawSource, std::string_view rawTarget) {
  source_ = tokens(0, rawSource);
  target_ = tokens(1, rawTarget);
  if (counts().total() == 0) lookAtFirst(source_, target_);
  const CleanFinding finding = check(source_, target_);
  cleaner_.count(finding, source_, target_);
  return finding.verdict;
}

void PairText::read(PairBlock& block) {
  for (auto& side : block.tokens) side.resize(block.size());
  block.findings.resize(block.size());
  if (block.size() > 0 && counts().total() == 0)
    lookAtFirst(tokens(0, block.raw[0][0]), tokens(1, block.raw[1][0]));
  inParts(block.size(), kPairsAThread, threads_, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      for (int side = 0; side < 2; ++side) {
        const auto at = static_cast<std::size_t>(side);
        block.tokens[at][i] = tokens(side, block.raw[at][i]);
      }
      block.findings[i] = check(block.tokens[0][i], block.tokens[1][i]);
    }
  });
}

CleanVerdict PairText::count(const PairBlock& block, std::size_t pair) {
  cleaner_.count(block.findings[pair], block.tokens[0][pair], block.tokens[1][pair]);
  return block.findings[pair].verdict;
}

void PairText::lookAtFirst(std::string source, std::string target) {
  hideBars(source);
  hideBars(target);
  cleaner_.lookAtFirst(source, target);
}

CleanFinding PairText::check(std::string& source, std::string& target) const {
  const bool bars[2] = {hideBars(source), hideBars(target)};
  const CleanFinding finding = cleaner_.check(source, target);
  if (bars[0]) std::replace(source.begin(), source.end(), kBarStandIn, '|');
  if (bars[1]) std::replace(target.begin(), target.end(), kBarStandIn, '|');
  return finding;
}

}  // namespace strata
