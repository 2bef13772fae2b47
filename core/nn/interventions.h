#pragma once
#include <torch/torch.h>

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "core/run/recording.h"

namespace strata {

// Replacements for a model's internals in a forward pass, by the names under which they are
// published. Written NAME=zero, NAME=NUMBER, NAME=mean or NAME=mask, and NAME[AXIS=INDEX]=... for
// one index of an axis or of several: "decoder.layers.1.encoder_attn[head=2]=zero",
// "decoder.layers.0.gate=0.5", "decoder.fusion.hop_weights[hop=1,level=3]=mask". A mask is the
// softmax over the rest: the weights named become 0, and the others of their row grow in proportion
// so that the row keeps its sum; a row without others becomes 0.
class Interventions {
 public:
  Interventions() = default;
  // Usage errors name the text that cannot be parsed.
  static Interventions parse(const std::vector<std::string>& texts);

  bool empty() const { return replaced_.empty(); }
  bool replaces(const std::string& name) const { return replaced_.contains(name); }
  // The names that need a mean: setMean must provide it before a pass.
  std::vector<std::string> meansWanted() const;
  // `mean` has the shape of the published tensor without the batch axis and the axes of positions
  // (target, source, history, memory); see sumOverPositions. In an attention map it replaces only
  // weights that are not 0: what the model must not read stays unread.
  void setMean(const std::string& name, torch::Tensor mean);

  // The replacements whose names start with the prefix, without that prefix.
  Interventions within(const std::string& prefix) const;

  // The tensor that the model continues with instead of `values` [B, ...]. Throws a usage error
  // that names the intervention if its axis or index does not exist, its mean is not known, or it
  // masks what is no weight.
  torch::Tensor apply(const RecordingInfo& info, const torch::Tensor& values) const;

  // Throws a usage error for the first name that is not in `offered`.
  void check(const std::vector<RecordingInfo>& offered) const;

 private:
  struct Place {
    std::string axis;
    std::int64_t index = 0;
  };
  enum class With { kValue, kMean, kMask };
  struct Replacement {
    std::string text;  // as given by the user
    With with = With::kValue;
    double value = 0;
    std::vector<Place> places = {};  // all must hold; none: the full tensor
  };
  static Replacement parsed(const std::string& text, std::string& name);
  torch::Tensor meanFor(const Replacement& replacement, const RecordingInfo& info,
                        const torch::Tensor& values) const;
  static torch::Tensor placed(const Replacement& replacement, const RecordingInfo& info,
                              torch::Tensor values);
  static torch::Tensor masked(const Replacement& replacement, const RecordingInfo& info,
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
