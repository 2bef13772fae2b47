#include "core/nn/translation_model.h"

#include <algorithm>
#include <mutex>

#include "core/base/error.h"
#include "core/base/log.h"
#include "core/nn/bf16_products.h"
#include "core/nn/dropout.h"
#include "core/nn/function_cpu.h"
#include "core/nn/fused.h"
#include "core/nn/model_family.h"
#include "core/nn/output_words.h"
#include "core/nn/packed_weights.h"

namespace strata {
namespace {

std::vector<ModelFamily>& families() {
  static std::vector<ModelFamily> known;
  return known;
}

// Once for each.
void sayImpossible(Compute compute) {
  static std::once_flag bf16, int8;
  const bool whole = compute == Compute::kInt8;
  std::call_once(whole ? int8 : bf16, [&] {
    spdlog::warn("{} needs a CPU with {} and a model in float32: computing without",
                 nameOf(compute), whole ? "AVX-512 VNNI" : "AVX-512");
  });
}

torch::Tensor logSoftmax(const torch::Tensor& scores) {
  return torch::log_softmax(
      scores.scalar_type() == torch::kFloat64 ? scores : scores.to(torch::kFloat32), -1);
}

// log softmax(scores + bias) by the kernels, in the place of the scores; the bias may be undefined.
torch::Tensor logSoftmaxInPlace(const torch::Tensor& scores, const torch::Tensor& bias) {
  cpu::byType(scores, [&](auto type) {
    using T = decltype(type);
    kernels::logSoftmax(cpu::pointer<T>(scores), cpu::pointer<T>(bias), cpu::extentOf(scores));
  });
  return scores;
}

}  // namespace

SourceBatch makeSourceBatch(const torch::Tensor& ids_BS, const torch::Tensor& lengths_B) {
  SourceBatch batch{ids_BS, lengths_B, {}};
  const std::int64_t width = ids_BS.size(1);
  // Lengths on a GPU are not read: that would wait for the GPU.
  const bool padded = !lengths_B.device().is_cpu() || (lengths_B < width).any().item<bool>();
  if (padded) {
    const auto positions = torch::arange(width, lengths_B.options());
    batch.padding_BS = (positions.unsqueeze(0) >= lengths_B.unsqueeze(1)).to(ids_BS.device());
  }
  return batch;
}

TranslationModel::TranslationModel() : dropout_(std::make_shared<DropoutState>()) {}

TranslationModel::~TranslationModel() = default;

const std::shared_ptr<const ParameterBuffer>& TranslationModel::parameterBuffer() {
  if (!buffer_) {
    for (const auto& child : children()) {
      if (dynamic_cast<const TranslationModel*>(child.get()) != nullptr)
        throw Error("this model is made of others, whose parameters stay where they are");
    }
    std::vector<AdjacentParameters::Group> adjacent;
    for (const auto& module : modules()) {
      const auto* declares = dynamic_cast<const AdjacentParameters*>(module.get());
      if (declares == nullptr) continue;
      for (auto& group : declares->adjacentParameters()) adjacent.push_back(std::move(group));
    }
    buffer_ = std::make_shared<const ParameterBuffer>(namedParametersOf(*this), adjacent);
  }
  return buffer_;
}

torch::Device TranslationModel::device() const {
  return buffer_ ? buffer_->values().device() : parameters().front().device();
}

void TranslationModel::to(torch::Device, torch::Dtype, bool) {
  throw Error("a model cannot be moved after creation; pass the place to createModel");
}
void TranslationModel::to(torch::Dtype type, bool) {
  to(torch::kCPU, type, false);
}
void TranslationModel::to(torch::Device device, bool) {
  to(device, torch::kFloat32, false);
}

void TranslationModel::train(bool on) {
  torch::nn::Module::train(on);
  dropout_->training = on;
  if (on) packed_.reset();
}

void TranslationModel::setDropout(const DropoutRates& rates) {
  dropout_->rates = rates;
}

void TranslationModel::keyDropout(std::uint64_t seed, std::uint64_t step) {
  dropout_->seed = seed;
  dropout_->step = step;
  const torch::Device device = this->device();
  if (device.is_cpu()) return;
  auto generator = at::globalContext().defaultGenerator(device);
  const std::lock_guard<std::mutex> lock(generator.mutex());
  generator.set_current_seed(seed * 0x9e3779b97f4a7c15u + step);
}

Arithmetic TranslationModel::searchArithmetic(Compute compute) {
  Arithmetic own = arithmetic();
  const bool possible = usesKernels(parameters().front()) && PackedWeights::supports(compute);
  if (!possible && compute != Compute::kFloat32) {
    sayImpossible(compute);
    return searchArithmetic(Compute::kFloat32);
  }
  if (!possible) return own;
  if (!packed_ || packed_->compute() != compute)
    packed_ = std::make_unique<PackedWeights>(namedParametersOf(*this), compute);
  packed_->refresh();
  own.packed = packed_.get();
  return own;
}

Arithmetic TranslationModel::productArithmetic(bool bf16) {
  Arithmetic own = arithmetic();
  own.bf16Products = bf16;
  own.bf16Weights = nullptr;
  const ArithmeticScope scope(own);
  if (!bf16 || usesKernels(parameterBuffer()->values())) return own;
  if (!bf16_) bf16_ = std::make_unique<Bf16Weights>(parameterBuffer());
  bf16_->refresh();
  own.bf16Weights = bf16_.get();
  return own;
}

torch::Tensor TranslationModel::project(const torch::Tensor& features) {
  const auto [weight, bias] = projection();
  return affine(features, weight, bias);
}

torch::Tensor TranslationModel::outputOf(const DecoderLevels& levels, std::size_t level) const {
  const torch::Tensor& x_BTD = levels.values_BTD[level];
  return x_BTD.size(-1) == levels.values_BTD.back().size(-1) ? x_BTD : torch::Tensor{};
}

torch::Tensor TranslationModel::logProbabilities(const torch::Tensor& features_RD) {
  const torch::NoGradGuard frozen;
  if (OutputWords* const words = arithmetic().outputWords) {
    const auto scores = words->scores(*this, features_RD);
    return usesKernels(scores) ? logSoftmaxInPlace(scores, {}) : logSoftmax(scores);
  }
  const Projection output = projection();
  if (!output.weight_VD.defined() || !usesKernels(features_RD))
    return logSoftmax(project(features_RD));
  return logSoftmaxInPlace(affine(features_RD, output.weight_VD), output.bias_V);
}

std::int64_t TranslationModel::parameterCount() const {
  std::int64_t count = 0;
  for (const auto& parameter : parameters()) count += parameter.numel();
  return count;
}

void registerFamily(ModelFamily family) {
  auto& known = families();
  const auto same = std::ranges::find(known, family.name, &ModelFamily::name);
  if (same != known.end()) {
    *same = std::move(family);
  } else {
    known.push_back(std::move(family));
  }
}

std::shared_ptr<TranslationModel> createModel(const Json& config, const ParameterPlace& place) {
  if (!config.is_object() || !config.contains("family") || !config.at("family").is_string())
    throw usageError("the model's configuration has no 'family'");
  const auto name = config.at("family").get<std::string>();
  for (const ModelFamily& family : families()) {
    if (family.name != name) continue;
    const ParameterPlaceScope scope(place);
    auto model = family.create(config);
    model->parameterBuffer();
    return model;
  }
  std::string names;
  for (const ModelFamily& family : families()) names += (names.empty() ? "" : ", ") + family.name;
  throw usageError("unknown model family '{}'; expected one of: {}", name, names);
}

}  // namespace strata
