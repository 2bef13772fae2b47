#include "core/train/gradient_buffer.h"

#include <torch/csrc/autograd/variable.h>

#include <utility>

namespace strata {
namespace {

using torch::Tensor;

// Makes `part` the parameter's gradient, with the current gradient's value.
void moveInto(const Tensor& part, const Tensor& parameter) {
  Tensor& gradient = parameter.mutable_grad();
  if (gradient.defined() && gradient.is_alias_of(part)) return;
  const torch::NoGradGuard frozen;
  gradient.defined() ? Tensor(part).copy_(gradient) : Tensor(part).zero_();
  gradient = part;
}

// Runs when back-propagation has accumulated a parameter's gradient.
struct MoveGradient : GradientPlace {
  MoveGradient(Tensor part, std::size_t index, std::shared_ptr<GradientBuffer::Listener> listener)
      : GradientPlace(std::move(part)), index(index), listener(std::move(listener)) {}
  void operator()(const torch::autograd::Variable& parameter) override {
    // A device gets them all at once from complete(), unless somebody waits for each.
    if (!memory.is_cpu() && !*listener) return;
    moveInto(memory, parameter);
    if (*listener) (*listener)(index);
  }
  std::size_t index;
  std::shared_ptr<GradientBuffer::Listener> listener;
};

}  // namespace

GradientBuffer::GradientBuffer(std::shared_ptr<const ParameterBuffer> parameters)
    : parameters_(std::move(parameters)),
      values_(parameters_->zeros()),
      parts_(parameters_->parts(values_)) {
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    auto hook = std::make_unique<MoveGradient>(parts_[i], i, listener_);
    places_.push_back(hook.get());
    torch::autograd::impl::set_post_acc_grad_hooks(parameters_->named()[i].second, std::move(hook));
  }
}

GradientBuffer::~GradientBuffer() {
  for (std::size_t i = 0; i < places_.size(); ++i) {
    const Tensor& parameter = parameters_->named()[i].second;
    // Another buffer of the same parameters may have been created since.
    if (torch::autograd::impl::post_acc_grad_hooks(parameter).get() == places_[i])
      torch::autograd::impl::set_post_acc_grad_hooks(parameter, nullptr);
  }
}

void GradientBuffer::complete() {
  std::vector<Tensor> parts, gradients;  // those that can be moved at once
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    const Tensor& parameter = parameters_->named()[i].second;
    Tensor& gradient = parameter.mutable_grad();
    if (!gradient.defined() || gradient.is_alias_of(parts_[i])) {
      moveInto(parts_[i], parameter);
    } else {
      parts.push_back(parts_[i]);
      gradients.push_back(std::exchange(gradient, parts_[i]));
    }
  }
  if (parts.empty()) return;
  const torch::NoGradGuard frozen;
  at::_foreach_copy_(parts, gradients);
}

void GradientBuffer::clear() {
  for (const auto& [name, parameter] : parameters_->named()) parameter.mutable_grad() = Tensor();
  for (GradientPlace* const place : places_) place->taken = false;
}

}  // namespace strata
