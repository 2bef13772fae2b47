#pragma once
#include <torch/torch.h>

#include <string>
#include <vector>

#include "core/run/recording.h"

namespace strata {

// A model's internal of a whole batch, as it was computed: [B, ...] with the axes of info (the
// batch axis not listed).
struct RecordedTensor {
  RecordingInfo info;
  torch::Tensor values;
};

// Collects the internals that somebody asked for. Models are handed a pointer that is null when
// nobody did, so that not recording costs nothing:  if (recorder && recorder->wants(name))
// recorder->add(info, tensor);
class Recorder {
 public:
  Recorder() = default;  // wants everything
  explicit Recorder(std::vector<std::string> names)
      : names_(std::move(names)) {}  // exact names, or "prefix*"

  bool wants(const std::string& name) const;
  void add(RecordingInfo info, torch::Tensor values);

  const std::vector<RecordedTensor>& tensors() const { return tensors_; }
  void clear() { tensors_.clear(); }

 private:
  std::vector<std::string> names_;
  std::vector<RecordedTensor> tensors_;
};

// One sentence of what was recorded of a batch, cut to its true lengths: "source" axes to `source`
// positions, "target" and "history" axes to `target`.
struct SentenceLengths {
  std::int64_t source = 0, target = 0;
};
Recording recordingOf(const RecordedTensor& recorded, std::int64_t row,
                      const SentenceLengths& lengths);

}  // namespace strata
