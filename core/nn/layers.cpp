#include "core/nn/layers.h"

#include <ATen/CPUGeneratorImpl.h>

#include <cmath>

namespace strata {

LinearImpl::LinearImpl(std::int64_t in, std::int64_t out, bool withBias) {
  weight = newParameter(*this, "weight", {out, in});
  if (withBias) bias = newParameter(*this, "bias", {out});
}

LayerNormImpl::LayerNormImpl(std::int64_t width) {
  weight = newParameter(*this, "weight", {width}, 1.0);
  bias = newParameter(*this, "bias", {width}, 0.0);
}

EmbeddingImpl::EmbeddingImpl(std::int64_t rows, std::int64_t width) {
  weight = newParameter(*this, "weight", {rows, width});
}

OutputLayer::OutputLayer(torch::nn::Module& decoder, const torch::Tensor& table, const Shape& shape)
    : weight(table), owns_(!table.defined()) {
  if (!owns_ && !shape.bias) return;
  const auto layer = newPrefix(decoder, "output_projection");
  if (owns_) weight = newParameter(*layer, "weight", {shape.words, shape.width});
  if (shape.bias) bias = newParameter(*layer, "bias", {shape.words});
}

// Departs from the Transformer's paper (section 3.5): sines and cosines are two halves instead of
// alternating, the frequencies end at 1/10000 exactly, and n begins at 2, because those of the
// public recipes do.
torch::Tensor sinusoids(std::int64_t positions, std::int64_t width) {
  const std::int64_t half = width / 2;
  const auto k = torch::arange(half, torch::kFloat64);
  const auto frequencies = torch::exp(k * (-std::log(10000.0) / static_cast<double>(half - 1)));
  const auto n = torch::arange(2, positions + 2, torch::kFloat64);
  const auto angles = n.unsqueeze(1) * frequencies.unsqueeze(0);
  return torch::cat({angles.sin(), angles.cos()}, 1);
}

torch::Tensor PositionTable::rows(std::int64_t first, std::int64_t count,
                                  const torch::Tensor& like) {
  const bool fits = table_.defined() && table_.size(0) >= first + count &&
                    table_.device() == like.device() && table_.scalar_type() == like.scalar_type();
  if (!fits) {
    std::int64_t positions = 256;
    while (positions < first + count) positions *= 2;
    table_ = sinusoids(positions, width_).to(like.options().requires_grad(false));
  }
  return table_.narrow(0, first, count);
}

torch::Tensor PositionTable::at(const torch::Tensor& positions_N, std::int64_t end,
                                const torch::Tensor& like) {
  return rows(0, end, like).index_select(0, positions_N);
}

Initialiser::Initialiser(std::uint64_t seed)
    : generator_(at::make_generator<at::CPUGeneratorImpl>(seed)) {}

void Initialiser::uniform(torch::Tensor parameter, double bound) {
  const torch::NoGradGuard frozen;
  parameter.copy_(torch::empty(parameter.sizes()).uniform_(-bound, bound, generator_));
}

void Initialiser::normal(torch::Tensor parameter, double deviation) {
  const torch::NoGradGuard frozen;
  parameter.copy_(torch::empty(parameter.sizes()).normal_(0, deviation, generator_));
}

void Initialiser::fanIn(const Linear& linear) {
  const double bound = 1 / std::sqrt(static_cast<double>(linear->weight.size(1)));
  uniform(linear->weight, bound);
  if (linear->bias.defined()) uniform(linear->bias, bound);
}

void Initialiser::xavier(torch::Tensor weight, double gain) {
  const auto sum = static_cast<double>(weight.size(0) + weight.size(1));
  uniform(weight, gain * std::sqrt(6.0 / sum));
}

std::shared_ptr<torch::nn::Module> newPrefix(torch::nn::Module& owner, const std::string& name) {
  return owner.register_module(name, std::make_shared<torch::nn::Module>());
}

WordTable::WordTable(torch::nn::Module& side, const Shape& shape, const torch::Tensor& shared)
    : weight(
          shared.defined()
              ? shared
              : side.register_module("embed_tokens", Embedding(shape.words, shape.width))->weight),
      owns_(!shared.defined()) {}

void WordTable::initialise(Initialiser& random, double deviation) const {
  if (owns_) random.normal(weight, deviation);
}

}  // namespace strata
