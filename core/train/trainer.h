#pragma once
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/data/batcher.h"
#include "core/nn/translation_model.h"
#include "core/run/events.h"
#include "core/run/experiment.h"
#include "core/train/moving_average.h"
#include "core/train/optimizer.h"
#include "core/train/schedule.h"
#include "core/train/telemetry.h"
#include "core/train/training_state.h"
#include "core/train/validator.h"

namespace strata {

enum class TrainCommand { kNone, kStop, kPause, kCheckpoint };

// Source of orders to a running trainer: signals, the workspace, a test. Polled at the end of every
// step on the trainer's thread, so it must be cheap.
class TrainControl {
 public:
  virtual ~TrainControl() = default;
  virtual TrainCommand poll() { return TrainCommand::kNone; }
  // The order of the last poll has been carried out; the state is on disk.
  virtual void done(TrainCommand /*command*/, const std::string& /*outcome*/) {}
};

// The inputs and outputs of training. The sink and the control outlive the trainer.
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
};

// The dropout rates of a configuration.
DropoutRates dropoutRatesOf(const TrainingSpec& training);

// Trains one model. One thread; `state` is saved completely, and a resumed run does bit for bit
// what it would have done without interruption (CPU).
class Trainer {
 public:
  Trainer(ExperimentSpec spec, TrainerParts parts);
  ~Trainer();

  // Continues from a checkpoint of the run. Throws an Error that names a damaged file.
  void resume(const std::filesystem::path& checkpointFolder);
  // Trains until a limit, an order or an error; saves; reports the outcome to the sink.
  RunEndEvent run();

  const TrainingState& state() const { return state_; }
  const BatchReport& batches() const { return batcher_->report(); }

 private:
  // Results of one update that stay on the device until they are needed on the host.
  struct Pending {
    std::int64_t step = 0;
    torch::Tensor values;  // float64 [4]: nll, loss, errors, gradient norm
    std::int64_t tokens = 0, real = 0, padded = 0;
    std::vector<std::int64_t> sentences;  // indices in the training corpus
  };

  const PhaseSpec& phase() const;
  void enterPhase();
  std::string limitReached() const;
  bool rateTooLow() const;
  bool ordered(RunEndEvent& end);

  void nextBatches();
  Pending forwardBackward();
  void update();
  void applyUpdate(const Pending& pending, const GradientNorm& norm, ScalarList* scalars);
  bool fetchPending();
  void refuse(const Pending& pending);
  void rollBack(const std::string& what);
  void restoreAverage(const std::filesystem::path& checkpointFolder);
  void addRates(ScalarList& scalars) const;
  void emitScalars(ScalarList& scalars);

  void endEpoch();
  void advancePhase();
  bool validationDue() const;
  bool checkpointDue() const;
  void validate();
  void score();
  void scoreAverage(Validator::Result& result);
  void watch();
  void record();
  void save();
  RunEndEvent loop();
  void finish(RunEndEvent& end);

  ExperimentSpec spec_;
  TrainerParts parts_;
  const NamedParameters& parameters_;  // of parts_.model
  bool onHost_;                        // values are on the host as soon as they are computed
  bool bf16_;
  Optimizer optimizer_;
  Schedule schedule_;
  Validator validator_;
  std::unique_ptr<MovingAverage> average_;  // null: not configured
  std::unique_ptr<Batcher> batcher_;
  TrainingState state_;

  std::vector<Batch> batches_;  // of the update, reused
  std::size_t batchesUsed_ = 0;
  std::vector<Pending> pending_;
  GradientHistory gradients_;
  std::vector<double> rates_;
  bool epochEnded_ = false;
  std::int64_t savedStep_ = -1;
  int refusedInARow_ = 0;
  using Clock = std::chrono::steady_clock;
  Clock::time_point savedAt_, windowStart_, tick_;
  std::int64_t windowTokens_ = 0;
};

}  // namespace strata
