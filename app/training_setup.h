#pragma once
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "core/data/dataset.h"
#include "core/run/experiment.h"
#include "core/text/pipeline.h"
#include "core/train/estimate.h"
#include "core/train/validator.h"

namespace strata {

// An experiment with its data opened, used by training and by a dry run.
struct TrainingSetup {
  Json effective;  // the effective configuration
  ExperimentSpec spec;
  Dataset dataset;
  std::shared_ptr<const Corpus> train;
  std::vector<ScoredSet> sets;  // validation.sets, then validation.monitor
  std::shared_ptr<TextPipeline> text;
  Json modelConfig;  // the model's config.json
};

// What would end a run of this effective configuration at its start on the dataset: sets that it
// does not have, vocabularies that the model or the setting cannot use; and later, at the first
// sentence that the model has no positions for. Empty: nothing. Reads a corpus only for that, where
// a model has such a limit; what decides whether runs are queued.
std::string startProblem(const Json& effective, const Dataset& dataset);

// Opens data and text of an effective configuration. `digest`: the required version of the dataset;
// empty: the newest. `textFolder`: the pipeline's folder; empty: the dataset's.
TrainingSetup openTraining(const Json& effective, const std::filesystem::path& datasets,
                           const std::string& digest = "",
                           const std::filesystem::path& textFolder = {});

// The configuration of a new run with the scorer that suits its text, where it names none:
// scoring.case is lc if the target side is lower-cased.
Json withScorer(Json effective, const TextPipeline& text);

// A dataset by name: the version with this digest, or the newest if `digest` is empty. Its files
// are verified against their digests unless that was done before.
Dataset openDataset(const std::filesystem::path& datasets, const std::string& name,
                    const std::string& digest);

// Converts ids to text for the trainer. Shares ownership of the pipeline.
IdText idTextOf(const std::shared_ptr<TextPipeline>& text);

// The model of a setup, initialised by the configuration's seed: the same on every device.
std::shared_ptr<TranslationModel> makeModel(const TrainingSetup& setup,
                                            const torch::Device& device = torch::kCPU);

// A dry run as JSON: {"parameters", "device", "memory_bytes", "updates_per_epoch",
// "tokens_per_second", "seconds_per_epoch", "seconds", "seconds_range", "basis", "sentences",
// "left_out", "batches", "source_tokens", "target_tokens", "padding", "batch_lengths", "network",
// "config"}; `seconds` and its range are null if nothing limits the run. Memory and times are for
// the configured device. `otherRuns`: that train now. Takes a few seconds.
Json dryRun(const TrainingSetup& setup, int otherRuns = 0);

// Updates in an epoch of one phase.
std::int64_t updatesPerEpoch(const ExperimentSpec& spec, const PhaseSpec& phase,
                             const Corpus& train);

// Number of updates that the configured limits allow; 0 if only early stopping, time or nothing
// ends the run.
std::int64_t plannedUpdates(const ExperimentSpec& spec, const Corpus& train);

}  // namespace strata
