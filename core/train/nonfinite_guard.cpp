#include "core/train/nonfinite_guard.h"

#include <algorithm>

#include "core/base/error.h"

namespace strata {
namespace {

constexpr std::size_t kSentencesNamed = 20;

std::string numbersOf(const std::vector<std::int64_t>& sentences) {
  std::string text;
  for (std::size_t i = 0; i < std::min(sentences.size(), kSentencesNamed); ++i) {
    text += (i > 0 ? ", " : "") + std::to_string(sentences[i]);
  }
  if (sentences.size() > kSentencesNamed)
    text += fmt::format(" and {} more", sentences.size() - kSentencesNamed);
  return text;
}

}  // namespace

NonfiniteGuard::Refusal NonfiniteGuard::refuse(const UpdateInput& update) {
  const std::string what = fmt::format(
      "The loss or a gradient of step {} is not finite; its sentences are {} of the training "
      "corpus",
      update.step, numbersOf(update.sentences));
  if (++refusedInARow_ >= kMostInARow) {
    throw divergenceError("{}; {} updates in a row were not finite: lower training.optimizer.lr",
                          what, refusedInARow_);
  }
  return {action_, what};
}

}  // namespace strata
