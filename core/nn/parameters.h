// The parameters of a model: where modules create them, and their memory layout. From the creation
// of the model they are stored consecutively in one buffer; gradients, moments and averages have
// buffers of the same layout, so that an update is a few passes over whole buffers.
#pragma once
#include <torch/nn/module.h>
#include <torch/types.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace strata {

// Names as in models.md, in the order of the model.
using NamedParameters = std::vector<std::pair<std::string, torch::Tensor>>;
NamedParameters namedParametersOf(const torch::nn::Module& module);
// Grows whenever one of them changes.
std::uint64_t versionOf(const NamedParameters& parameters);

// Where the parameters of a model are created, and with which floating-point type.
struct ParameterPlace {
  torch::Device device = torch::kCPU;
  torch::ScalarType type = torch::kFloat32;
};

// While one exists, modules that this thread constructs create their parameters in its place.
class ParameterPlaceScope {
 public:
  explicit ParameterPlaceScope(const ParameterPlace& place);
  ~ParameterPlaceScope();
  ParameterPlaceScope(const ParameterPlaceScope&) = delete;
  ParameterPlaceScope& operator=(const ParameterPlaceScope&) = delete;

 private:
  ParameterPlace before_;
};

// Creates a parameter of `owner` in this thread's place; every element is `value`, or
// uninitialised.
torch::Tensor newParameter(torch::nn::Module& owner, const std::string& name, at::IntArrayRef shape,
                           std::optional<double> value = {});

// Implemented by modules with parameters that are used together, such as several projections of one
// input: the members of a group are consecutive in the buffer, without gaps.
class AdjacentParameters {
 public:
  using Group = std::vector<torch::Tensor>;
  virtual ~AdjacentParameters() = default;
  virtual std::vector<Group> adjacentParameters() const = 0;
};

// One buffer [N] with all parameters of a model. Groups and single parameters are aligned to 64
// bytes; the gaps between them are 0 and stay 0.
class ParameterBuffer {
 public:
  // Moves the parameters, which keep their identity, into a buffer of their device and type (the
  // same for all). They must not be moved again.
  explicit ParameterBuffer(NamedParameters parameters,
                           const std::vector<AdjacentParameters::Group>& adjacent = {});

  const NamedParameters& named() const { return named_; }
  // The buffer. Call changed() after writing to it.
  const torch::Tensor& values() const { return values_; }
  // Invalidates values that were derived from parameters and cached.
  void changed() const;
  // Grows whenever a parameter changes.
  std::uint64_t version() const;

  // Zeros of the same layout, for gradients and moments.
  torch::Tensor zeros() const { return torch::zeros_like(values_); }
  // Parameter i's part of a buffer of the same layout, in the parameter's shape.
  torch::Tensor part(const torch::Tensor& buffer, std::size_t i) const;
  std::vector<torch::Tensor> parts(const torch::Tensor& buffer) const;
  // Where parameter i begins, in elements.
  std::int64_t beginOf(std::size_t i) const { return begins_.at(i); }

 private:
  NamedParameters named_;
  std::vector<std::int64_t> begins_;  // one per parameter, in the order of the names
  torch::Tensor values_;
};

// One view over parameters that are consecutive in a buffer, such as the members of a group; a copy
// if they are not. All have the same trailing shape and type. No gradient.
torch::Tensor joinedParameters(at::TensorList parameters);

}  // namespace strata
