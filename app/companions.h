#pragma once
#include <torch/types.h>

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "app/launcher.h"
#include "core/base/json.h"
#include "core/distributed/process_group.h"
#include "core/run/experiment.h"

namespace strata {

// The processes that train one run together, as a launcher has started them; or this one alone. The
// first one decides what is trained, and alone has the run: its index, log and checkpoints. The
// others train along with their part of each update, and write nothing but errors.
class Companions {
 public:
  // What this process was asked to do, which has to be the same in all.
  struct Asked {
    Json request;          // by key
    double timeout = 120;  // seconds to wait for the others
  };
  // Connects the processes. Null: this one alone.
  Companions(const std::optional<Launch>& launch, const Asked& asked);

  int size() const { return group_ ? group_->size() : 1; }
  ProcessGroup* group() const { return group_.get(); }

  // The first process does `first`, which calls begin() once it knows what is trained; the others
  // do the same training. If one fails, the others are told why and end, too.
  void run(const std::function<void()>& first, const std::filesystem::path& datasets);

  // What is trained.
  struct Plan {
    Json config;
    std::string datasetDigest;
  };
  void begin(const Plan& plan);

  // The configured number of threads, or this process's part of the cores that it shares.
  void useThreads(const TrainingSpec& training) const;
  // The configured device; "cuda" and "auto" give the processes of a computer different ones. Its
  // gradients are summed from GPU to GPU where that is possible.
  torch::Device useDevice(const TrainingSpec& training) const;

 private:
  torch::Device deviceOf(const TrainingSpec& training) const;
  void trainAlong(const std::filesystem::path& datasets);

  std::unique_ptr<ProcessGroup> group_;
  bool begun_ = false;
};

}  // namespace strata
