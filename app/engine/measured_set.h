#pragma once
#include <cstdint>
#include <string>

#include "app/engine/model_options.h"
#include "core/data/dataset.h"
#include "core/decode/scorer.h"
#include "core/inside/measured_on.h"
#include "core/store/runs.h"

namespace strata {

// A run and the sentences of a validation set of its dataset, on which something of its model is
// measured.
struct MeasuredSet {
  RunSummary run;
  Dataset dataset;
  EvaluationSet set;
  ScoredPairs pairs;
};
struct MeasuredSetRequest {
  std::string run = {};    // with @best, @last or @STEP
  std::string set = {};    // empty: the first that the run validates on
  std::int64_t limit = 0;  // the set's first sentences; 0: all
  bool again = false;      // even if the result is stored in the run's folder
};
// Adds RUN, --set, --limit and --again; `request` must outlive the verb.
void addMeasuredSetOptions(CLI::App& verb, MeasuredSetRequest& request);

// Usage errors: the run has no such validation set, or the set has no sentences.
MeasuredSet measuredSet(const MeasuredSetRequest& request, const GlobalOptions& global);
MeasuredOn measuredOn(const ServedModel& served, const MeasuredSet& subject);

}  // namespace strata
