#include "core/train/nonfinite_guard.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <span>

#include "core/base/error.h"

namespace strata {
namespace {

constexpr std::size_t kSentencesNamed = 20;

std::string numbersOf(const std::vector<std::int64_t>& sentences) {
  const std::size_t named = std::min(sentences.size(), kSentencesNamed);
  std::string text = fmt::format("{}", fmt::join(std::span(sentences).first(named), ", "));
  if (sentences.size() > named) text += fmt::format(" and {} more", sentences.size() - named);
  return text;
}

}  // namespace

std::string NonfiniteGuard::refuse(const UpdateInput& update) {
  const std::string what = fmt::format(
      "The loss or a gradient of step {} is not finite; its sentences are {} of the training "
      "corpus",
      update.step, numbersOf(update.sentences));
  if (++refusedInARow_ >= kMostInARow) {
    throw divergenceError("{}; {} updates in a row were not finite: lower training.optimizer.lr",
                          what, refusedInARow_);
  }
  return what;
}

}  // namespace strata
