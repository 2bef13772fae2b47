#pragma once
#include <cstdint>
#include <vector>

#include "core/data/batcher.h"
#include "core/data/corpus.h"
#include "core/nn/translation_model.h"
#include "core/run/experiment.h"
#include "core/run/time_range.h"

namespace strata {

// Batches of similar lengths.
struct BatchLengths {
  std::int64_t longest = 0;  // their longest side has at most this many tokens, </s> included, and
                             // more than that of the entry before
  std::int64_t batches = 0, sentences = 0;
  std::int64_t tokens = 0, positions = 0;  // of both sides, without and with padding
};
// One epoch's batches by the length of their longest side, in at most `most` steps of equal width.
std::vector<BatchLengths> batchLengths(Batcher& batcher, std::int64_t most = 24);

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
  std::vector<BatchLengths> lengths = {};  // of that phase
  SpeedMeasurement speed = {};             // `otherRuns` is left to the caller
  double tokensPerSecond = 0;              // target tokens, at the median of the measured steps
  double secondsPerEpoch = 0;              // without validation
};

// Runs updates of the initialised model on its device; its parameters do not change. On the CPU a
// few sentences with the shape of the largest batch, counting the bytes of every tensor: that takes
// about as long as six updates on a thousand tokens. On a GPU the largest batch itself, or as many
// of its sentences as fit. Other threads affect the result on a GPU only. Throws if not even one
// sentence fits.
TrainingEstimate estimateTraining(const ExperimentSpec& spec, TranslationModel& model,
                                  const Corpus& train);

// Batches of one phase, as created by the trainer.
BatchOptions batchOptionsOf(const ExperimentSpec& spec, const PhaseSpec& phase);

}  // namespace strata
