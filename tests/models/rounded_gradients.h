// Gradients of presets of every family: by the kernels in float32, beside libtorch's
// operators, and with factors of products rounded to bf16. Where the processor has no instruction
// for those libtorch rounds, and results, too.
#pragma once
#include <QtTest>
#ifndef Q_MOC_RUN
#include <torch/types.h>
#endif

#include <string>
#include <vector>

#include "core/nn/arithmetic.h"
#include "core/nn/cross_entropy.h"
#include "models/presets.h"
#include "tests/models/small_preset.h"

namespace strata::testing {

// The presets that are compared.
inline const std::vector<std::string> kRounded{"baseline/transformer-iwslt",
                                               "mlrf/both-fnn-sa4",
                                               "dhea/gate",
                                               "dhea/hybrid",
                                               "deepatt/att-2-2",
                                               "deepatt/rnnsearch",
                                               "densenmt/4l-2",
                                               "densenmt/literal-4l-1",
                                               "baseline/fconv-iwslt"};

inline constexpr Arithmetic kBf16{.bf16Products = true},
    kCast{.kernels = false, .bf16Products = true}, kPlain{.kernels = false};

// The gradients of a batch's loss, one after the other; `forward`, `backward`: how each is
// computed.
inline Tensor gradients(TranslationModel& model, const Arithmetic& forward,
                        const Arithmetic& backward) {
  // 80 sentences, so that products have rows enough to be worth packing.
  torch::manual_seed(3);
  const Tensor source = torch::randint(4, kSourceWords, {80, 7}, torch::kInt64),
               target = torch::randint(4, kTargetWords, {80, 6}, torch::kInt64);
  source.select(1, 6).fill_(kEndId);
  const auto lengths = torch::full({80}, 7, torch::kInt64);
  Tensor loss;
  {
    const ArithmeticScope scope(forward);
    const Tensor features = featuresOf(model, makeSourceBatch(source, lengths), target);
    loss = crossEntropy(model, features, target.roll(-1, 1), {.labelSmoothing = 0.1}).loss;
  }
  const ArithmeticScope scope(backward);
  loss.backward();
  std::vector<Tensor> all;
  for (const Tensor& parameter : model.parameters()) {
    const Tensor gradient = parameter.grad();
    if (gradient.defined()) all.push_back(gradient.flatten().clone());
    parameter.mutable_grad().reset();
  }
  return torch::cat(all);
}

inline double distance(const Tensor& a, const Tensor& b) {
  return (a - b).norm().item<double>() / b.norm().item<double>();
}

// A factor of 8 bits is off by up to 2^-9 of itself. Rounding only factors loses no more than
// rounding results as well, but for chance where the processor multiplies bf16 in float32 (then
// both round the same factors), and back-propagation rounds wherever its forward pass did.
inline void compareGradients(const std::string& preset, const std::vector<std::string>& overrides) {
  registerModels();
  const Json config =
      resolveConfig({.file = "", .preset = preset, .overrides = overrides}, builtInSources());
  const auto model = createModel(modelConfig(config["model"], kSourceWords, kTargetWords));
  model->initialise("default", 5);
  model->eval();
  const Tensor whole = gradients(*model, {}, {}), half = gradients(*model, kBf16, {}),
               cast = gradients(*model, kCast, {});
  // In float32 the kernels compute what libtorch's operators do.
  const double apart = distance(whole, gradients(*model, kPlain, {}));
  QVERIFY2(apart < 1e-4, qPrintable(QString::number(apart)));
  const double lost = distance(half, whole), lostByCasts = distance(cast, whole);
  QVERIFY2(lost > 1e-5 && lost < 0.05, qPrintable(QString::number(lost)));
  constexpr double kChance = 1.05;
  QVERIFY2(lost <= kChance * lostByCasts,
           qPrintable(QString("%1 > %2").arg(lost).arg(lostByCasts)));
  QVERIFY(half.equal(gradients(*model, kBf16, kBf16)));
}

}  // namespace strata::testing
