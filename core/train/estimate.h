#pragma once
#include <cstdint>

#include "core/data/batcher.h"
#include "core/data/corpus.h"
#include "core/nn/translation_model.h"
#include "core/run/experiment.h"

namespace strata {

// What training would need on the model's device.
struct TrainingEstimate {
  std::int64_t parameters = 0;
  // At the peak of the largest update: on the CPU bytes of physical memory of the training process,
  // on a GPU bytes of its tensors there (libtorch's cache and the driver's memory are extra).
  // Validation is not counted, which matters if batches are far smaller than
  // decoding.batch_sentences.
  std::int64_t bytes = 0;
  BatchReport batches;  // of the first phase
  std::int64_t updatesPerEpoch = 0;
  double tokensPerSecond = 0;  // target tokens
  double secondsPerEpoch = 0;  // without validation
};

// Runs updates of the initialised model on its device; its parameters do not change. On the CPU a
// few sentences with the shape of the largest batch, counting the bytes of every tensor: that takes
// about as long as four updates on a thousand tokens. On a GPU the largest batch itself, or as many
// of its sentences as fit. Other threads affect the result on a GPU only. Throws if not even one
// sentence fits.
TrainingEstimate estimateTraining(const ExperimentSpec& spec, TranslationModel& model,
                                  const Corpus& train);

// Batches of one phase, as created by the trainer.
BatchOptions batchOptionsOf(const ExperimentSpec& spec, const PhaseSpec& phase);

}  // namespace strata
