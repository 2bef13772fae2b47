// Parameters under their checkpoint names. The arithmetic is in core/nn/fused.h.
#pragma once
#include <torch/nn/module.h>
#include <torch/nn/modules/container/modulelist.h>
#include <torch/nn/pimpl.h>
#include <torch/types.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/nn/arithmetic.h"
#include "core/nn/dropout.h"
#include "core/nn/parameters.h"

namespace strata {

// weight [out, in] and bias [out]; not initialised.
class LinearImpl : public torch::nn::Module {
 public:
  LinearImpl(std::int64_t in, std::int64_t out, bool withBias = true);
  torch::Tensor forward(const torch::Tensor& x) const { return affine(x, weight, bias); }

  torch::Tensor weight, bias;  // bias is undefined without one
};
TORCH_MODULE(Linear);

// weight [d] (gain, starts at 1) and bias [d] (starts at 0); epsilon is kNormEpsilon.
class LayerNormImpl : public torch::nn::Module {
 public:
  explicit LayerNormImpl(std::int64_t width);
  torch::Tensor weight, bias;
};
TORCH_MODULE(LayerNorm);

// weight [rows, d].
class EmbeddingImpl : public torch::nn::Module {
 public:
  EmbeddingImpl(std::int64_t rows, std::int64_t width);
  torch::Tensor weight;
};
TORCH_MODULE(Embedding);

// The layer that scores words, `output_projection` of a decoder: its own matrix [words, width] or
// an embedding table, with or without a bias. Not a separate module if it has no parameters.
class OutputLayer {
 public:
  struct Shape {
    std::int64_t words, width;
    bool bias;
  };
  // `table`: the matrix if it is an embedding table; undefined: a matrix of its own.
  OutputLayer(torch::nn::Module& decoder, const torch::Tensor& table, const Shape& shape);

  bool ownsMatrix() const { return owns_; }
  torch::Tensor forward(const torch::Tensor& x) const { return affine(x, weight, bias); }

  torch::Tensor weight, bias;  // the bias is undefined without one

 private:
  bool owns_;
};

constexpr double kNormEpsilon = 1e-5;  // models.md 0.3

// PE of models.md 4.2: rows p = 0 .. positions-1 of the halved sinusoids at n = p + 2. width is
// even and at least 4; float64.
torch::Tensor sinusoids(std::int64_t positions, std::int64_t width);

// The sinusoids of one model on its device and of its type, extended when a longer sentence
// arrives.
class PositionTable {
 public:
  explicit PositionTable(std::int64_t width) : width_(width) {}
  torch::Tensor rows(std::int64_t first, std::int64_t count, const torch::Tensor& like);
  // [N, D] of positions [N], int64 on the device of `like`, below `end`.
  torch::Tensor at(const torch::Tensor& positions_N, std::int64_t end, const torch::Tensor& like);

 private:
  std::int64_t width_;
  torch::Tensor table_;
};

// Initialises from a seeded generator on the CPU, the same on every device.
class Initialiser {
 public:
  explicit Initialiser(std::uint64_t seed);
  void uniform(torch::Tensor parameter, double bound);  // U(-bound, bound)
  void normal(torch::Tensor parameter, double deviation);
  void fanIn(const Linear& linear);  // weight and bias U(+-1/sqrt(in))
  void xavier(torch::Tensor weight, double gain);

 private:
  torch::Generator generator_;
};

// A module without parameters of its own, registered in `owner`: the prefix of the names of what is
// registered in it, such as "encoder".
std::shared_ptr<torch::nn::Module> newPrefix(torch::nn::Module& owner, const std::string& name);

// The modules make(0), make(1), ..., registered in `owner` as NAME.0, NAME.1, ...
template <typename Make>
auto newStack(torch::nn::Module& owner, const std::string& name, std::int64_t count,
              const Make& make) {
  const auto list = owner.register_module(name, torch::nn::ModuleList());
  std::vector<decltype(make(count))> stack;
  for (std::int64_t i = 0; i < count; ++i) list->push_back(stack.emplace_back(make(i)));
  return stack;
}

// The word embeddings of one side, `embed_tokens`: a table [words, width] of its own, or the other
// side's.
class WordTable {
 public:
  struct Shape {
    std::int64_t words, width;
  };
  // `shared`: the other side's table; undefined: a table of its own, registered in `side`.
  WordTable(torch::nn::Module& side, const Shape& shape, const torch::Tensor& shared = {});
  // N(0, deviation); a table of the other side is left to that side.
  void initialise(Initialiser& random, double deviation) const;

  torch::Tensor weight;

 private:
  bool owns_;
};

}  // namespace strata
