#pragma once
#include <cstddef>
#include <memory>

#include "ui/data/values.h"

namespace strata::ui {

// The recordings of a step, which panels and their computations share: those of a long sentence
// take 100 MB.
using SharedRecordings = std::shared_ptr<const StepRecordings>;

// How many values there are to compute with.
inline std::size_t valueCount(const SentenceRecordings& sentence) {
  std::size_t values = 0;
  for (const Recording& recording : sentence.recordings) values += recording.values.size();
  return values;
}

inline std::size_t valueCount(const RecordedStep& step) {
  std::size_t values = 0;
  for (const SentenceRecordings& sentence : step.sentences) values += valueCount(sentence);
  return values;
}

}  // namespace strata::ui
