#pragma once
#include <torch/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/nn/interventions.h"
#include "core/run/recording.h"

namespace strata {

// An internal of a model for a full batch, as computed: [B, ...] with the axes of info (which does
// not list the batch axis).
struct RecordedTensor {
  RecordingInfo info;
  torch::Tensor values;
};

// Requests to a model's forward pass besides its result: internals to collect, and internals to
// replace. Models receive a null pointer if there are none, which costs nothing:
//   if (recorder) x = recorder->publish(info, x);
// A model publishes an internal before it uses it.
class Recorder {
 public:
  // Collects everything except internals of the kinds "block" and "level", which are large and
  // collected by name only.
  Recorder() = default;
  explicit Recorder(std::vector<std::string> names)
      : names_(std::move(names)) {}  // exact names, or "prefix*"

  // Replaces internals; `interventions` outlives the recorder. Null: none.
  void intervene(const Interventions* interventions) { interventions_ = interventions; }
  const Interventions* interventions() const { return interventions_; }

  // What is published next is a step of incremental decoding whose first target position is
  // `target`; without this, passes have all positions.
  void beginStep(std::int64_t target) { firstTarget_ = target; }
  std::optional<std::int64_t> firstTarget() const { return firstTarget_; }

  // Whether publish() of this internal does anything: a model can skip computing what it would only
  // publish.
  bool wants(const std::string& name) const { return replaces(name) || records(name); }
  // Whether publish() returns replaced values.
  bool replaces(const std::string& name) const {
    return interventions_ != nullptr && interventions_->replaces(name);
  }
  // Collects `values` if requested and returns what the model continues with.
  torch::Tensor publish(RecordingInfo info, const torch::Tensor& values);

  const std::vector<RecordedTensor>& tensors() const { return tensors_; }
  void clear() { tensors_.clear(); }

  // Collects nothing; for passes that only intervene.
  void collectNothing() { collects_ = false; }

 private:
  bool records(const std::string& name) const;

  bool collects_ = true;
  std::vector<std::string> names_;
  const Interventions* interventions_ = nullptr;
  std::optional<std::int64_t> firstTarget_;
  std::vector<RecordedTensor> tensors_;
};

// Where a layer publishes a map or a state; a null recorder: nothing was requested.
struct Published {
  Recorder* recorder = nullptr;
  RecordingInfo info = {};
  bool timeMajor = false;  // the layer's first two axes are positions and sentences

  bool wanted() const { return recorder != nullptr && recorder->wants(info.name); }
  bool replaces() const { return recorder != nullptr && recorder->replaces(info.name); }
  // What the layer continues with.
  torch::Tensor pass(const torch::Tensor& values) const;
  // The same for attention weights [B, H, T, S] whose map may have no axis of heads (one head).
  torch::Tensor passWeights(const torch::Tensor& weights_BHTS) const;
};

// What `describe()` describes is published to `recorder`; it is not called if nothing was
// requested.
template <typename Describe>
Published published(Recorder* recorder, const Describe& describe) {
  if (recorder == nullptr) return {};
  return {recorder, describe()};
}

// One sentence of a batch's recordings, cut to its true lengths: "source" axes to `source`
// positions, "target" and "history" axes to `target`, "memory" axes (the source, then the history)
// to both.
struct SentenceLengths {
  std::int64_t source = 0, target = 0;
};
Recording recordingOf(const RecordedTensor& recorded, std::int64_t row,
                      const SentenceLengths& lengths);

}  // namespace strata
