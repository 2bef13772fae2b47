#pragma once
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/data/batcher.h"
#include "core/distributed/process_group.h"
#include "core/nn/translation_model.h"
#include "core/run/events.h"
#include "core/run/experiment.h"
#include "core/train/checkpoint_saver.h"
#include "core/train/decisions.h"
#include "core/train/histogram_recorder.h"
#include "core/train/moving_average.h"
#include "core/train/nonfinite_guard.h"
#include "core/train/optimizer.h"
#include "core/train/pending_updates.h"
#include "core/train/schedule.h"
#include "core/train/telemetry.h"
#include "core/train/training_clock.h"
#include "core/train/training_state.h"
#include "core/train/training_team.h"
#include "core/train/validator.h"

namespace strata {

// Source of orders to a running trainer: signals, the workspace, a test. Polled at the end of every
// step on the trainer's thread, so it must be cheap.
class TrainControl {
 public:
  virtual ~TrainControl() = default;
  virtual TrainCommand poll() { return TrainCommand::kNone; }
  // The order of the last poll has been carried out; the state is on disk.
  virtual void done(TrainCommand /*command*/, const std::string& /*outcome*/) {}
};

// The inputs and outputs of training. The sink, the control and the group outlive the trainer.
struct TrainerParts {
  std::shared_ptr<TranslationModel> model;  // on `device`, initialised
  std::shared_ptr<const Corpus> train;
  std::vector<ScoredSet> sets;
  IdText text;
  std::filesystem::path runFolder;  // checkpoints/ and recordings/ are created in it
  torch::Device device = torch::kCPU;
  EventSink& sink;
  TrainControl& control;
  std::int64_t runId = 0;
  // The processes that train the run together; null: this one alone. Only the first one's sink and
  // run folder are used, and its control; of another's control only orders to stop.
  ProcessGroup* group = nullptr;
};

// The dropout rates of a configuration.
DropoutRates dropoutRatesOf(const TrainingSpec& training);

// Trains one model. One thread; `state` is saved completely, and a resumed run does bit for bit
// what it would have done without interruption (CPU).
//
// Processes that train together each compute the gradients of every size-th batch of an update;
// positions and masks count all batches, so that the training is the same for any number of them
// (bit for bit if an update has no more than two batches, else up to the order of additions).
// Whatever depends on the time, on files or on orders is decided by the first one, and travels with
// the sums of each step.
class Trainer {
 public:
  Trainer(ExperimentSpec spec, TrainerParts parts);

  // Continues from a checkpoint of the run (the first process; the others receive it in run()).
  // Throws an Error that names a damaged file.
  void resume(const std::filesystem::path& checkpointFolder);
  // Trains until a limit, an order or an error; saves; reports the outcome to the sink.
  RunEndEvent run();

  const TrainingState& state() const { return state_; }
  const BatchReport& batches() const { return batcher_->report(); }

 private:
  RunEndEvent loop();
  bool ordered(RunEndEvent& end);
  void finish(RunEndEvent& end);

  void synchronise();
  torch::Tensor agree(const torch::Tensor& sums_3, GradientNorm& norm);

  std::span<const Batch> nextBatches();
  void update(std::span<const Batch> batches);
  torch::Tensor forwardBackward(std::span<const Batch> batches, std::int64_t tokens);
  void applyUpdate(const GradientNorm& norm, const torch::Tensor& values_4,
                   const std::vector<double>& rates, ScalarList* scalars);
  bool takeResults();
  void refuse(const UpdateInput& update);
  void rollBack(const std::string& what);
  void emitScalars(const std::vector<double>& rates, ScalarList& scalars);
  void emitHistograms();

  const PhaseSpec& phase() const { return phaseOf(spec_.training, state_); }
  void enterPhase();
  void advancePhase();
  bool epochIsOver() const { return state_.position.batch >= batcher_->batchesInEpoch(); }
  void endEpoch();
  void validate();
  void score();
  const ScoredSet* recordedSet() const;
  void record();
  void save();

  ExperimentSpec spec_;
  TrainerParts parts_;
  bool onHost_;  // values are on the host as soon as they are computed
  bool bf16_;
  Optimizer optimizer_;
  TrainingTeam team_;
  Schedule schedule_;
  Validator validator_;
  CheckpointSaver saver_;
  std::unique_ptr<MovingAverage> average_;  // null: not configured
  std::unique_ptr<Batcher> batcher_;
  TrainingState state_;

  std::vector<Batch> batches_;  // of the update; their memory is reused
  PendingUpdates pending_;
  GradientHistory gradients_;
  std::unique_ptr<HistogramRecorder> histograms_;  // null: not configured
  NonfiniteGuard guard_;
  TrainingClock clock_;
  TrainCommand command_ = TrainCommand::kNone;  // of several processes: what has been agreed on
  bool saveDue_ = false;                        // by time or scores
};

}  // namespace strata
