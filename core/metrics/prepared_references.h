#pragma once
#include <algorithm>
#include <cstddef>
#include <ranges>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "core/base/threads.h"
#include "core/metrics/metric.h"

namespace strata {

// The references of a metric, each line prepared once for any number of systems.
template <typename Line>
class PreparedReferences {
 public:
  // references[r][i] is the r-th reference of sentence i; at least one, all of the same length.
  // prepare(i, r, line) fills in its line; it is called by several threads.
  template <typename Prepare>
  PreparedReferences(const std::vector<std::vector<std::string>>& references, Prepare prepare)
      : sentences_(checkReferences(references)),
        perSentence_(references.size()),
        lines_(sentences_ * perSentence_) {
    inParts(lines_.size(), kSentencesAThread, 0, [&](std::size_t begin, std::size_t end) {
      for (std::size_t at = begin; at < end; ++at)
        prepare(at / perSentence_, at % perSentence_, lines_[at]);
    });
  }

  std::size_t sentences() const { return sentences_; }
  std::size_t perSentence() const { return perSentence_; }

  // All references of a sentence.
  std::span<const Line> of(std::size_t sentence) const {
    if (sentence >= sentences_)
      throw Error("there is no sentence {}: the references have {}", sentence + 1, sentences_);
    return std::span(lines_).subspan(sentence * perSentence_, perSentence_);
  }

 private:
  std::size_t sentences_, perSentence_;
  std::vector<Line> lines_;  // all references of sentence 0, then of sentence 1, ...
};

// The one of these lengths that is closest to `to`; ties: the shorter one.
template <typename Lengths>
std::size_t closestLength(Lengths&& lengths, std::size_t to) {
  return std::ranges::min(lengths, {}, [&](std::size_t length) {
    return std::pair(length < to ? to - length : length - to, length);
  });
}

}  // namespace strata
