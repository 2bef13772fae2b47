#pragma once
#include <cstdint>

#include "core/base/json.h"
#include "core/data/batcher.h"
#include "core/run/experiment.h"

namespace strata {

// What training would need, worked out from configuration and batches without making the model.
struct TrainingEstimate {
  std::int64_t parameters = 0;
  std::int64_t bytes = 0;    // peak resident memory of the process (CPU) or of the device (CUDA)
  double flopsPerEpoch = 0;  // floating-point operations of matrix products, forward and backward
  std::int64_t updatesPerEpoch = 0;
  double secondsPerEpoch = 0;  // from the rate of matrix products measured on this computer
};

// `modelConfig` is the model's config.json; `parameters` its count; the report is Batcher's for the
// first phase.
TrainingEstimate estimateTraining(const ExperimentSpec& spec, const Json& modelConfig,
                                  std::int64_t parameters, const BatchReport& batches, bool cuda);

}  // namespace strata
