// What a model that extends the Transformer makes of all levels of a stack, where the Transformer
// passes on its top level.
#pragma once
#include <torch/nn/module.h>
#include <torch/types.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/nn/layers.h"
#include "core/nn/recorder.h"

namespace strata::transformer {

// Its parameters have names that begin with "encoder.fusion." or "decoder.fusion.".
class LevelFusion : public torch::nn::Module {
 public:
  // One vector per position, [X, D], of z^0 [X, D], the input of the stack, and z^1 to z^L, the
  // outputs of its layers; X stands for the same leading axes, a batch and its positions if there
  // is a recorder.
  virtual torch::Tensor forward(const std::vector<torch::Tensor>& levels_XD,
                                Recorder* recorder) = 0;
  virtual void initialise(Initialiser& random, bool xavier) = 0;
  virtual std::vector<RecordingInfo> recordable() const = 0;
};

// Makes that of `side`, "encoder" or "decoder"; called when its layers exist. Null: no fusion.
using FusionMaker = std::function<std::shared_ptr<LevelFusion>(
    const std::string& side, const std::shared_ptr<DropoutState>& dropout)>;

}  // namespace strata::transformer
