#include "core/run/model_config.h"

#include "core/base/error.h"

namespace strata {
namespace {

constexpr double kSmallestVocabulary = 5;  // the four special tokens and a word
constexpr double kLargestVocabulary = std::int64_t{1} << 31;

}  // namespace

void refuseProblems(const std::vector<ConfigProblem>& problems) {
  if (!problems.empty()) throw usageError("'{}': {}", problems[0].path, problems[0].message);
}

KeyTable modelHeader(const char* family, std::int64_t& sourceVocabulary,
                     std::int64_t& targetVocabulary) {
  KeyTable keys;
  keys.addConstant("format", 1);
  keys.addConstant("family", family);
  keys.add("src_vocab", sourceVocabulary, "Words of the source vocabulary.")
      .atLeast(kSmallestVocabulary)
      .atMost(kLargestVocabulary);
  keys.add("tgt_vocab", targetVocabulary, "Words of the target vocabulary.")
      .atLeast(kSmallestVocabulary)
      .atMost(kLargestVocabulary);
  return keys;
}

}  // namespace strata
