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

// An experiment with its data opened: what training and a dry run start from.
struct TrainingSetup {
  Json effective;  // the effective configuration
  ExperimentSpec spec;
  Dataset dataset;
  std::shared_ptr<const Corpus> train;
  std::vector<ScoredSet> sets;  // validation.sets, then validation.monitor
  std::shared_ptr<TextPipeline> text;
  Json modelConfig;  // the model's config.json
};

// Opens data and text of an effective configuration. `digest`: the dataset must be the version with
// this content; empty: the newest. `textFolder`: the pipeline's folder; empty: the dataset's.
TrainingSetup openTraining(const Json& effective, const std::filesystem::path& datasets,
                           const std::string& digest = "",
                           const std::filesystem::path& textFolder = {});

// A dataset by name: the version with this content, else the newest where `digest` is empty. Its
// files are compared with their digests unless that was done before.
Dataset openDataset(const std::filesystem::path& datasets, const std::string& name,
                    const std::string& digest);

// Ids as the trainer shows them. The pipeline is kept alive.
IdText idTextOf(const std::shared_ptr<TextPipeline>& text);

// The model of a setup, initialised by the configuration's seed: the same on every device.
std::shared_ptr<TranslationModel> makeModel(const TrainingSetup& setup,
                                            const torch::Device& device = torch::kCPU);

// A dry run as JSON: {"parameters", "device", "memory_bytes", "updates_per_epoch",
// "tokens_per_second", "seconds_per_epoch", "seconds", "sentences", "left_out", "padding",
// "config"}; `seconds` is null where nothing limits the run. Memory and times are those of the
// configured device. Takes a few seconds.
Json dryRun(const TrainingSetup& setup);

// Updates that the configured limits allow, 0 when only early stopping, time or nothing ends the
// run.
std::int64_t plannedUpdates(const ExperimentSpec& spec, const Corpus& train);

}  // namespace strata
