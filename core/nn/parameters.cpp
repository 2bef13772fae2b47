#include "core/nn/parameters.h"

#include <algorithm>
#include <map>

#include "core/base/error.h"

namespace strata {
namespace {

using torch::Tensor;

constexpr std::int64_t kAlignment = 64;  // bytes; a cache line

thread_local ParameterPlace currentPlace;

// Parameter indices in memory order; each list is contiguous, without gaps.
std::vector<std::vector<std::size_t>> orderOf(
    const NamedParameters& parameters, const std::vector<AdjacentParameters::Group>& adjacent) {
  std::map<const void*, std::size_t> numbers;
  for (std::size_t i = 0; i < parameters.size(); ++i)
    numbers[parameters[i].second.unsafeGetTensorImpl()] = i;
  std::vector<const AdjacentParameters::Group*> groupOf(parameters.size(), nullptr);
  for (const auto& group : adjacent) {
    for (const Tensor& member : group) groupOf[numbers.at(member.unsafeGetTensorImpl())] = &group;
  }
  std::vector<std::vector<std::size_t>> order;
  std::vector<bool> placed(parameters.size(), false);
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    if (placed[i]) continue;
    auto& run = order.emplace_back();
    if (groupOf[i] == nullptr) {
      run.push_back(i);
    } else {
      for (const Tensor& member : *groupOf[i])
        run.push_back(numbers.at(member.unsafeGetTensorImpl()));
    }
    for (const std::size_t number : run) placed[number] = true;
  }
  return order;
}

bool areAdjacent(at::TensorList parameters) {
  const char* end = nullptr;
  for (const Tensor& parameter : parameters) {
    if (!parameter.is_contiguous() || !parameter.is_alias_of(parameters.front())) return false;
    const char* begin = static_cast<const char*>(parameter.const_data_ptr());
    if (end != nullptr && begin != end) return false;
    end = begin + parameter.nbytes();
  }
  return true;
}

}  // namespace

NamedParameters namedParametersOf(const torch::nn::Module& module) {
  NamedParameters parameters;
  for (const auto& item : module.named_parameters(/*recurse=*/true)) {
    if (item.value().requires_grad()) parameters.emplace_back(item.key(), item.value());
  }
  return parameters;
}

std::uint64_t versionOf(const NamedParameters& parameters) {
  std::uint64_t sum = 0;  // of versions that only grow
  for (const auto& [name, parameter] : parameters) sum += parameter._version();
  return sum;
}

ParameterPlaceScope::ParameterPlaceScope(const ParameterPlace& place)
    : before_(std::exchange(currentPlace, place)) {}

ParameterPlaceScope::~ParameterPlaceScope() {
  currentPlace = before_;
}

Tensor newParameter(torch::nn::Module& owner, const std::string& name, at::IntArrayRef shape,
                    std::optional<double> value) {
  const auto options = torch::dtype(currentPlace.type).device(currentPlace.device);
  return owner.register_parameter(
      name, value ? torch::full(shape, *value, options) : torch::empty(shape, options));
}

ParameterBuffer::ParameterBuffer(NamedParameters parameters,
                                 const std::vector<AdjacentParameters::Group>& adjacent)
    : named_(std::move(parameters)), begins_(named_.size()) {
  if (named_.empty()) throw Error("the model has no parameters");
  const torch::NoGradGuard frozen;
  const Tensor& first = named_.front().second;
  const std::int64_t step =
      std::max<std::int64_t>(1, kAlignment / static_cast<std::int64_t>(first.element_size()));
  std::int64_t end = 0;
  for (const auto& run : orderOf(named_, adjacent)) {
    end = (end + step - 1) / step * step;
    for (const std::size_t i : run) {
      begins_[i] = end;
      end += named_[i].second.numel();
    }
  }
  values_ = torch::zeros({end}, first.options().requires_grad(false));
  for (std::size_t i = 0; i < named_.size(); ++i) {
    Tensor parameter = named_[i].second, place = part(values_, i);
    place.copy_(parameter);
    parameter.set_data(place);
  }
}

void ParameterBuffer::changed() const {
  for (const auto& [name, parameter] : named_) parameter.unsafeGetTensorImpl()->bump_version();
}

std::uint64_t ParameterBuffer::version() const {
  return versionOf(named_);
}

Tensor ParameterBuffer::part(const Tensor& buffer, std::size_t i) const {
  const Tensor& parameter = named_.at(i).second;
  return buffer.narrow(0, begins_[i], parameter.numel()).view(parameter.sizes());
}

std::vector<Tensor> ParameterBuffer::parts(const Tensor& buffer) const {
  std::vector<Tensor> all;
  for (std::size_t i = 0; i < named_.size(); ++i) all.push_back(part(buffer, i));
  return all;
}

Tensor joinedParameters(at::TensorList parameters) {
  const torch::NoGradGuard frozen;
  if (!areAdjacent(parameters)) return torch::cat(parameters, 0);
  const Tensor first = parameters.front().detach();
  auto shape = first.sizes().vec();
  shape[0] = 0;
  for (const Tensor& parameter : parameters) shape[0] += parameter.size(0);
  return first.as_strided(shape, first.strides(), first.storage_offset());
}

}  // namespace strata
