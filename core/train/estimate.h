#pragma once
#include <cstdint>

#include "core/data/batcher.h"
#include "core/data/corpus.h"
#include "core/nn/translation_model.h"
#include "core/run/experiment.h"

namespace strata {

// What training would need on this computer.
struct TrainingEstimate {
  std::int64_t parameters = 0;
  // Bytes of physical memory of the training process at the peak of its largest update; validation
  // is not counted, which matters where batches are far smaller than decoding.batch_sentences. On a
  // GPU that of the device is of the same order.
  std::int64_t bytes = 0;
  BatchReport batches;  // of the first phase
  std::int64_t updatesPerEpoch = 0;
  double tokensPerSecond = 0;  // target tokens
  double secondsPerEpoch = 0;  // without validation
};

// Runs updates of the model, initialised and on the CPU, on a few sentences of the shape of the
// largest batch and counts the bytes of every tensor; the model's parameters stay. Takes about as
// long as four updates on a thousand tokens. What other threads do does not matter.
TrainingEstimate estimateTraining(const ExperimentSpec& spec, TranslationModel& model,
                                  const Corpus& train);

// Batches of one phase, as the trainer makes them.
BatchOptions batchOptionsOf(const ExperimentSpec& spec, const PhaseSpec& phase);

}  // namespace strata
