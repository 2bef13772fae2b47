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
  std::int64_t bytes =
      0;  // peak of the process's physical memory; on a GPU that of the device, of the same order
  BatchReport batches;  // of the first phase
  std::int64_t updatesPerEpoch = 0;
  double tokensPerSecond = 0;  // target tokens
  double secondsPerEpoch = 0;  // without validation
};

// Runs the model, initialised and on the CPU, on a few sentences of the shape of the largest batch
// and counts the bytes of every tensor: memory grows linearly with the number of sentences of one
// shape, whatever the model is. Takes about as long as two updates on a thousand tokens. Other
// threads must not make tensors meanwhile.
TrainingEstimate estimateTraining(const ExperimentSpec& spec, TranslationModel& model,
                                  const Corpus& train);

// Batches of one phase, as the trainer makes them.
BatchOptions batchOptionsOf(const ExperimentSpec& spec, const PhaseSpec& phase);

}  // namespace strata
