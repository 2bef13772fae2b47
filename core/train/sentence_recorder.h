#pragma once
#include <string>
#include <vector>

#include "core/nn/translation_model.h"
#include "core/run/recording.h"
#include "core/train/validator.h"

namespace strata {

struct SentenceRecordingOptions {
  int sentences = 8;               // number of sentences, from the first of the set
  std::vector<std::string> names;  // as Recorder takes them; empty: everything the model offers
};

// The model's internals for fixed sentences of a set with teacher forcing on their references, so
// that recordings over training differ by the parameters alone. Leaves the model in evaluation
// mode.
std::vector<SentenceRecordings> recordSentences(TranslationModel& model, const ScoredSet& set,
                                                const IdText& text,
                                                const SentenceRecordingOptions& options);

}  // namespace strata
