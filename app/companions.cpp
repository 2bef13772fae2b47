#include "app/companions.h"

#include <c10/util/Logging.h>
#include <torch/cuda.h>

#include <algorithm>
#include <cstdlib>

#include "app/mkl_vendor.h"
#include "app/run_control.h"
#include "app/training_setup.h"
#include "core/base/error.h"
#include "core/base/error_message.h"
#include "core/base/log.h"
#include "core/base/threads.h"
#include "core/base/version.h"
#include "core/run/configuration_group.h"
#include "core/train/device.h"
#include "core/train/trainer.h"

namespace strata {
namespace {

// Only the first process's events count.
class NoSink : public EventSink {
 public:
  void scalars(const std::vector<ScalarEvent>&) override {}
};

// A signal to any process stops all of them.
class SignalControl : public TrainControl {
 public:
  TrainCommand poll() override {
    return stopSignal() != 0 ? TrainCommand::kStop : TrainCommand::kNone;
  }
};

// After the loss of a process, threads still wait for it and cannot be ended otherwise.
[[noreturn]] void leave(const std::exception& error) {
  spdlog::error("{}", messageOf(error));
  spdlog::shutdown();
  std::fflush(nullptr);
  std::_Exit(1);
}

}  // namespace

Companions::Companions(const std::optional<Launch>& launch, const Asked& asked) {
  if (!launch || launch->size == 1) return;
  if (launch->rank != 0) spdlog::set_level(spdlog::level::err);
  setenv("TORCH_CPP_LOG_LEVEL", "ERROR", /*overwrite=*/0);  // c10d warns of each slow answer
  c10::initLogging();                                       // reads it
  group_ = std::make_unique<ProcessGroup>(GroupOptions{
      .rank = launch->rank,
      .size = launch->size,
      .address = launch->address,
      .port = launch->port,
      .storeIsElsewhere = launch->storeIsElsewhere,
      .attempt = launch->attempt,
      .program = fmt::format("{}{}", programVersion(), mklFast() ? "" : " with STRATA_MKL_FAST=0"),
      .timeout = std::chrono::duration<double>(asked.timeout),
      .asked = asked.request.dump(),
      .difference =
          [&](const std::string& theirs) {
            return differencesText(configurationDifferences(
                asked.request, parseJson(theirs, "what another process was asked")));
          },
      // Of each process: the first may be the one that is missing.
      .waiting =
          [&](const std::string& sentence) {
            spdlog::log(launch->rank == 0 ? spdlog::level::warn : spdlog::level::err, "rank {}: {}",
                        launch->rank, sentence);
          },
      .isEnding = [] { return stopSignal() != 0; }});
}

void Companions::run(const std::function<void()>& first, const std::filesystem::path& datasets) {
  if (!group_) return first();
  try {
    group_->isFirst() ? first() : trainAlong(datasets);
  } catch (const std::exception& error) {
    if (isOfKind(error, ErrorKind::kInterruption)) leave(error);
    if (group_->isFirst() && !begun_) {
      group_->share(Json{{"error", messageOf(error)}}.dump());
    } else {
      group_->tell(messageOf(error));
    }
    throw;
  }
}

void Companions::begin(const Plan& plan) {
  begun_ = true;
  if (!group_) return;
  group_->setTimeout(
      std::chrono::duration<double>(parseExperiment(plan.config).training.peerTimeout));
  group_->share(Json{{"config", plan.config}, {"dataset", plan.datasetDigest}}.dump());
}

void Companions::trainAlong(const std::filesystem::path& datasets) {
  const Json plan = parseJson(group_->share(std::string()), "the first process's plan");
  if (plan.contains("error")) std::_Exit(1);  // the first process says why
  const TrainingSetup setup = openTraining(plan.at("config"), datasets, plan.at("dataset"));
  const TrainingSpec& training = setup.spec.training;
  group_->setTimeout(std::chrono::duration<double>(training.peerTimeout));
  useThreads(training);
  const torch::Device device = useDevice(training);
  setDeterministic(training.deterministic, device);
  NoSink sink;
  SignalControl control;
  Trainer trainer(setup.spec, {.model = makeModel(setup, device),
                               .train = setup.train,
                               .sets = setup.sets,
                               .text = idTextOf(setup.text),
                               .runFolder = {},
                               .device = device,
                               .sink = sink,
                               .control = control,
                               .group = group_.get()});
  trainer.run();
}

void Companions::useThreads(const TrainingSpec& training) const {
  int threads = training.threads;
  if (threads == 0 && group_) threads = std::max(1, availableCores() / group_->coreSharers());
  setThreads(threads);
}

torch::Device Companions::useDevice(const TrainingSpec& training) const {
  const torch::Device device = deviceOf(training);
  if (group_ && training.device != "cpu") {
    const std::string how = group_->connectGpus(device);
    if (device.is_cuda()) spdlog::info("gradients are summed {}", how);
  }
  return device;
}

torch::Device Companions::deviceOf(const TrainingSpec& training) const {
  const torch::Device device = selectDevice(training.device);
  if (!group_ || !device.is_cuda() || training.device.starts_with("cuda:")) return device;
  const auto devices = static_cast<int>(torch::cuda::device_count());
  return {torch::kCUDA, static_cast<c10::DeviceIndex>(group_->localRank() % devices)};
}

}  // namespace strata
