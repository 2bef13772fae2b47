#include "core/data/pair_text.h"

#include <algorithm>
#include <limits>

namespace strata {
namespace {

constexpr char kBarStandIn = '\x01';

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

PairText::PairText(const PrepareOptions& options)
    : normal_(normalSide(options, 0), normalSide(options, 1)), cleaner_(cleanOptions(options)) {}

std::string PairText::tokens(int side, std::string_view raw) {
  return normal_.tokens(side == 0 ? Side::kSource : Side::kTarget, raw);
}

CleanVerdict PairText::read(std::string_view rawSource, std::string_view rawTarget) {
  source_ = tokens(0, rawSource);
  target_ = tokens(1, rawTarget);
  const bool bars[2] = {hideBars(source_), hideBars(target_)};
  const CleanVerdict verdict = cleaner_.clean(source_, target_);
  if (bars[0]) std::replace(source_.begin(), source_.end(), kBarStandIn, '|');
  if (bars[1]) std::replace(target_.begin(), target_.end(), kBarStandIn, '|');
  return verdict;
}

}  // namespace strata
