#pragma once
#include <torch/torch.h>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/run/recording.h"

namespace strata {

// Replacements for a model's internals in a forward pass, by the names under which they are
// published. Written NAME=zero, NAME=NUMBER or NAME=mean, and NAME[AXIS=INDEX]=... for one index of
// an axis: "decoder.layers.1.encoder_attn[head=2]=zero", "decoder.layers.0.gate=0.5".
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
  // that names the intervention if its axis or index does not exist, or its mean is not known.
  torch::Tensor apply(const RecordingInfo& info, const torch::Tensor& values) const;

  // Throws a usage error for the first name that is not in `offered`.
  void check(const std::vector<RecordingInfo>& offered) const;

 private:
  struct Replacement {
    std::string text;                   // as given by the user
    std::optional<double> value = 0.0;  // none: the mean
    std::string axis;                   // empty: the full tensor
    std::int64_t index = 0;
  };
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
