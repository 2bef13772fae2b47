#pragma once
#include <torch/types.h>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/run/recording.h"

namespace strata {

// Replacements for a model's internals in a forward pass, by the names under which they are
// published. Written NAME=zero, NAME=NUMBER, NAME=mean or NAME=mask, and NAME[AXIS=INDEX]=... for
// one index of an axis or of several: "decoder.layers.1.encoder_attn[head=2]=zero",
// "decoder.layers.0.gate=0.5", "decoder.fusion.hop_weights[hop=1,level=3]=mask". A mask is the
// softmax over the rest: the weights named become 0, and the others of their row grow in proportion
// so that the row keeps its sum; a row without others becomes 0. NAME[target=4]=read:2 gives all of
// that word's weight to position 2 of the softmax's axis, =read:2*0.7,5*0.3 divides it in these
// proportions; positions count from 0.
class Interventions {
 public:
  Interventions() = default;
  // Usage errors name the text that cannot be parsed.
  static Interventions parse(const std::vector<std::string>& texts);

  bool empty() const { return replaced_.empty(); }
  bool replaces(const std::string& name) const { return replaced_.contains(name); }
  // Whether anything counts positions of a sentence, which are not the same in a padded batch:
  // sentences are then passed one by one.
  bool namesPositions() const;
  // The highest target position that is named; none: none is.
  std::optional<std::int64_t> lastTarget() const;
  // The names that need a mean: setMean must provide it before a pass.
  std::vector<std::string> meansWanted() const;
  // `mean` has the shape of the published tensor without the batch axis and the axes of positions
  // (target, source, history, memory); see sumOverPositions. In an attention map it replaces only
  // weights that are not 0: what the model must not read stays unread.
  void setMean(const std::string& name, torch::Tensor mean);

  // The replacements whose names start with the prefix, without that prefix.
  Interventions within(const std::string& prefix) const;

  // The tensor that the model continues with instead of `values` [B, ...]. `firstTarget`: the pass
  // is a step of incremental decoding, whose first target position this is; what names another one
  // does nothing in it. Throws a usage error that names the intervention if its axis or index does
  // not exist, its mean is not known, or it gives weights to what has none.
  torch::Tensor apply(const RecordingInfo& info, const torch::Tensor& values,
                      std::optional<std::int64_t> firstTarget = {}) const;

  // Throws a usage error for the first name that is not in `offered`.
  void check(const std::vector<RecordingInfo>& offered) const;

 private:
  struct Place {
    std::string axis;
    std::int64_t index = 0;
  };
  enum class With { kValue, kMean, kMask, kRead };
  struct Replacement {
    std::string text;  // as given by the user
    With with = With::kValue;
    double value = 0;
    std::vector<Place> places = {};  // all must hold; none: the full tensor
    std::vector<std::pair<std::int64_t, double>> shares = {};  // of positions read; they sum to 1

    const Place* at(const std::string& axis) const;  // null: it names none of this axis
  };
  // What is published in a pass.
  struct Pass {
    const RecordingInfo& info;
    std::optional<std::int64_t> firstTarget;
  };
  static Replacement parsed(const std::string& text, std::string& name);
  torch::Tensor meanFor(const Replacement& replacement, const RecordingInfo& info,
                        const torch::Tensor& values) const;
  static std::vector<std::pair<std::int64_t, double>> sharesOf(const std::string& text,
                                                               std::string value);
  static torch::Tensor placed(const Replacement& replacement, const Pass& pass,
                              torch::Tensor values);
  static torch::Tensor masked(const Replacement& replacement, const Pass& pass,
                              const torch::Tensor& values);
  static torch::Tensor given(const Replacement& replacement, const Pass& pass,
                             const torch::Tensor& values);

  std::map<std::string, std::vector<Replacement>> replaced_;
  std::map<std::string, torch::Tensor> means_;
};

// Sum over sentences and positions of a published tensor [B, ...], and their number. `lengths` are
// the true ones; positions beyond them are not counted.
struct PositionSum {
  torch::Tensor sum;  // the axes that are not positions
  std::int64_t positions = 0;
};
struct PublishedLengths {
  torch::Tensor source_B, target_B;  // int64, on the CPU
};
PositionSum sumOverPositions(const RecordingInfo& info, const torch::Tensor& values,
                             const PublishedLengths& lengths);

}  // namespace strata
