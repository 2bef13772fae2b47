#include "core/data/pair_text.h"

#include <algorithm>
#include <limits>

#include "core/base/error.h"
#include "core/base/threads.h"
#include "core/text/language.h"

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

void checkTextSteps(const PrepareOptions& options) {
  if (options.sourceLanguage.empty() || options.targetLanguage.empty())
    throw usageError("both languages are needed: --source and --target");
  checkTokenizer(options.tokenizer);
  if (options.lowercase && options.truecase)
    throw usageError("--lowercase and --truecase exclude each other");
  if (options.tokenizer == "icu" && !isWrittenWithoutSpaces(options.sourceLanguage) &&
      !isWrittenWithoutSpaces(options.targetLanguage)) {
    throw usageError(
        "--tokenizer icu is for languages that are written without spaces (zh, ja, th, lo, km, "
        "my), "
        "and neither {} nor {} is the code of one; use moses, or give the right code to --source "
        "or "
        "--target",
        options.sourceLanguage, options.targetLanguage);
  }
}

PipelineSide normalSide(const PrepareOptions& options, int side) {
  PipelineSide result;
  result.language = side == 0 ? options.sourceLanguage : options.targetLanguage;
  result.tokenizer = tokenizerFor(options.tokenizer, result.language);
  result.lowercase = options.lowercase;
  if (options.lowercase || options.truecase) result.casing = casingOf(result.language);
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
      check_(normal_.side(Side::kSource), normal_.side(Side::kTarget)),
      cleaner_(cleanOptions(options)),
      threads_(options.threads) {}

std::string PairText::tokens(int side, std::string_view raw) const {
  return normal_.tokens(side == 0 ? Side::kSource : Side::kTarget, raw);
}

std::string PairText::setTokens(const std::string& set, int side, std::string_view raw) {
  std::string result = tokens(side, raw);
  check_.add(set, side, result);
  return result;
}

CleanVerdict PairText::read(std::string_view rawSource, std::string_view rawTarget) {
  source_ = tokens(0, rawSource);
  target_ = tokens(1, rawTarget);
  if (counts().total() == 0) lookAtFirst(source_, target_);
  const CleanFinding finding = check(source_, target_);
  return count(finding, source_, target_);
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
  return count(block.findings[pair], block.tokens[0][pair], block.tokens[1][pair]);
}

CleanVerdict PairText::count(const CleanFinding& finding, const std::string& source,
                             const std::string& target) {
  cleaner_.count(finding, source, target);
  if (finding.verdict != CleanVerdict::kEmpty) {
    check_.add("train", 0, source);
    check_.add("train", 1, target);
  }
  return finding.verdict;
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
