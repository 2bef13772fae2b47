#include "device/counting_device.h"

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/EmptyTensor.h>
#include <ATen/detail/PrivateUse1HooksInterface.h>
#include <ATen/native/CPUFallback.h>
#include <ATen/native/Resize.h>
#include <ATen/native/TensorShape.h>
#include <ATen/ops/_reshape_alias_native.h>
#include <ATen/ops/as_strided_native.h>
#include <ATen/ops/resize_native.h>
#include <ATen/ops/set_native.h>
#include <ATen/ops/view_native.h>
#include <c10/core/CachingDeviceAllocator.h>
#include <c10/core/impl/DeviceGuardImplInterface.h>
#include <c10/core/impl/alloc_cpu.h>
#include <torch/library.h>

#include <algorithm>
#include <cstring>
#include <mutex>
#include <set>

namespace strata::testing {
namespace {

using at::Tensor;
using c10::DeviceType;

constexpr DeviceType kType = DeviceType::PrivateUse1;
constexpr c10::DispatchKeySet kKeys{c10::DispatchKey::PrivateUse1};

std::mutex mutex;              // of the two below, and of the device's memory
DeviceTraffic traffic;         // since it was last taken
std::set<const void*> pinned;  // blocks of pinned memory
thread_local bool inside =
    false;  // the CPU computes an operator: its copies are none of the program's

void countWait(const std::string& cause) {
  if (inside) return;
  const std::lock_guard lock(mutex);
  ++traffic.waits[cause];
}

// --- memory -------------------------------------------------------------------------------------

class DeviceMemory final : public c10::DeviceAllocator {
 public:
  c10::DataPtr allocate(std::size_t bytes) override {
    const std::lock_guard lock(mutex);
    if (limit > 0 && held.current + static_cast<std::int64_t>(bytes) > limit)
      TORCH_CHECK_WITH(OutOfMemoryError, false, "the device has no memory for ", bytes, " bytes");
    void* const block = c10::alloc_cpu(bytes);
    if (block != nullptr) sizes[block] = bytes;
    held.increase(bytes);
    return {block, block, &release, c10::Device(kType, 0)};
  }
  c10::DeleterFnPtr raw_deleter() const override { return &release; }
  void copy_data(void* to, const void* from, std::size_t bytes) const override {
    std::memcpy(to, from, bytes);
  }
  bool initialized() override { return true; }
  void emptyCache(c10::MempoolId_t) override {}
  void recordStream(const c10::DataPtr&, c10::Stream) override {}
  c10::CachingDeviceAllocator::DeviceStats getDeviceStats(c10::DeviceIndex) override {
    const std::lock_guard lock(mutex);
    c10::CachingDeviceAllocator::DeviceStats stats;
    stats.allocated_bytes[static_cast<std::size_t>(c10::CachingAllocator::StatType::AGGREGATE)] =
        held;
    return stats;
  }
  void resetAccumulatedStats(c10::DeviceIndex) override {}
  void resetPeakStats(c10::DeviceIndex) override {
    const std::lock_guard lock(mutex);
    held.reset_peak();
  }

  static inline std::int64_t limit = 0;  // bytes; 0: none

 private:
  static void release(void* block) {
    {
      const std::lock_guard lock(mutex);
      if (const auto found = sizes.find(block); found != sizes.end()) {
        held.decrease(found->second);
        sizes.erase(found);
      }
    }
    c10::free_cpu(block);
  }

  static inline c10::CachingAllocator::Stat held;  // bytes; under `mutex`, as the next
  static inline std::map<void*, std::size_t> sizes;
};

class PinnedMemory final : public c10::Allocator {
 public:
  c10::DataPtr allocate(std::size_t bytes) override {
    void* const block = c10::alloc_cpu(bytes);
    const std::lock_guard lock(mutex);
    pinned.insert(block);
    return {block, block, &release, c10::Device(DeviceType::CPU)};
  }
  c10::DeleterFnPtr raw_deleter() const override { return &release; }
  void copy_data(void* to, const void* from, std::size_t bytes) const override {
    std::memcpy(to, from, bytes);
  }
  static bool holds(const void* block) {
    const std::lock_guard lock(mutex);
    return pinned.contains(block);
  }

 private:
  static void release(void* block) {
    {
      const std::lock_guard lock(mutex);
      pinned.erase(block);
    }
    c10::free_cpu(block);
  }
};

DeviceMemory& deviceMemory() {
  static DeviceMemory memory;
  return memory;
}
PinnedMemory& pinnedMemory() {
  static PinnedMemory memory;
  return memory;
}

// --- interfaces that libtorch needs from a device -----------------------------------------------

// One device with one stream, on which everything is done at once.
struct Guard final : c10::impl::DeviceGuardImplInterface {
  DeviceType type() const override { return kType; }
  c10::Device exchangeDevice(c10::Device device) const override { return device; }
  c10::Device getDevice() const override { return {kType, 0}; }
  void setDevice(c10::Device) const override {}
  void uncheckedSetDevice(c10::Device) const noexcept override {}
  c10::Stream getStream(c10::Device device) const override {
    return c10::Stream(c10::Stream::DEFAULT, device);
  }
  c10::Stream exchangeStream(c10::Stream stream) const override { return stream; }
  c10::DeviceIndex deviceCount() const noexcept override { return 1; }
  void record(void**, const c10::Stream&, c10::DeviceIndex, c10::EventFlag) const override {}
  void block(void*, const c10::Stream&) const override {}
  bool queryEvent(void*) const override { return true; }
  void destroyEvent(void*, c10::DeviceIndex) const noexcept override {}
};
C10_REGISTER_GUARD_IMPL(PrivateUse1, Guard);

struct Hooks final : at::PrivateUse1HooksInterface {
  bool isBuilt() const override { return true; }
  bool isAvailable() const override { return true; }
  bool hasPrimaryContext(c10::DeviceIndex) const override { return true; }
  c10::DeviceIndex deviceCount() const override { return 1; }
  bool isPinnedPtr(const void* block) const override { return PinnedMemory::holds(block); }
  c10::Allocator* getPinnedMemoryAllocator() const override { return &pinnedMemory(); }
  // The CPU's kernels draw, and they ask the CPU's generator.
  const at::Generator& getDefaultGenerator(c10::DeviceIndex) const override {
    return at::detail::getDefaultCPUGenerator();
  }
};

// --- operators ----------------------------------------------------------------------------------

// A host tensor that shares the memory. A tensor without elements gets its own memory, which an
// operator may resize.
Tensor hostAlias(const Tensor& tensor) {
  const auto options = at::TensorOptions().dtype(tensor.scalar_type());
  if (!tensor.defined() || tensor.is_cpu()) return tensor;
  if (tensor.numel() == 0) return at::empty(tensor.sizes(), options);
  return at::from_blob(tensor.mutable_data_ptr(), tensor.sizes(), tensor.strides(), options);
}

Tensor makeEmpty(at::IntArrayRef sizes, std::optional<at::ScalarType> type,
                 std::optional<at::Layout>, std::optional<at::Device>, std::optional<bool>,
                 std::optional<at::MemoryFormat> format) {
  return at::detail::empty_generic(sizes, &deviceMemory(), kKeys, type.value_or(at::kFloat),
                                   format);
}

Tensor makeEmptyStrided(at::IntArrayRef sizes, at::IntArrayRef strides,
                        std::optional<at::ScalarType> type, std::optional<at::Layout>,
                        std::optional<at::Device>, std::optional<bool>) {
  return at::detail::empty_strided_generic(sizes, strides, &deviceMemory(), kKeys,
                                           type.value_or(at::kFloat));
}

void countCopy(const Tensor& from, const Tensor& to, bool nonBlocking) {
  if (inside || from.is_cpu() == to.is_cpu()) return;
  if (to.is_cpu()) {
    countWait("download");
  } else if (nonBlocking && PinnedMemory::holds(from.storage().data())) {
    const std::lock_guard lock(mutex);
    ++traffic.pinnedUploads;
  } else {
    countWait("upload");
  }
}

Tensor copyFrom(const Tensor& from, const Tensor& to, bool nonBlocking) {
  countCopy(from, to, nonBlocking);
  hostAlias(to).copy_(hostAlias(from));
  return to;
}

Tensor copyFromAndResize(const Tensor& from, const Tensor& to) {
  if (from.const_data_ptr() == to.const_data_ptr() && from.sizes() == to.sizes()) return to;
  to.resize_(from.sizes());
  return copyFrom(from, to, false);
}

// How the fallback brings tensors to the CPU: in place of copies, the memory itself.
std::vector<Tensor> toCpu(at::TensorList tensors) {
  std::vector<Tensor> aliases;
  for (const Tensor& tensor : tensors) aliases.push_back(hostAlias(tensor));
  return aliases;
}

at::Scalar scalarOf(const Tensor& tensor) {
  countWait("_local_scalar_dense");
  return hostAlias(tensor).item();
}

Tensor& setStorage(Tensor& tensor, at::Storage storage) {
  const auto elements = static_cast<std::int64_t>(storage.nbytes() / tensor.itemsize());
  return at::native::set_storage_cpu_(tensor, std::move(storage), 0, {elements}, {});
}

// The cell that at::lstm needs: gates in the order input, forget, candidate, output; the third
// result are the activated gates.
std::tuple<Tensor, Tensor, Tensor> lstmCell(const Tensor& inputGates, const Tensor& hiddenGates,
                                            const Tensor& cell,
                                            const std::optional<Tensor>& inputBias,
                                            const std::optional<Tensor>& hiddenBias) {
  Tensor sums = inputGates + hiddenGates;
  for (const auto& bias : {inputBias, hiddenBias}) {
    if (bias && bias->defined()) sums = sums + *bias;
  }
  const auto parts = sums.chunk(4, 1);
  const Tensor in = at::sigmoid(parts[0]), forget = at::sigmoid(parts[1]),
               candidate = at::tanh(parts[2]), out = at::sigmoid(parts[3]);
  const Tensor next = forget * cell + in * candidate;
  return {out * at::tanh(next), next, at::cat({in, forget, candidate, out}, 1)};
}

std::tuple<Tensor, Tensor, Tensor> lstmCellBackward(const std::optional<Tensor>& gradHidden,
                                                    const std::optional<Tensor>& gradCell,
                                                    const Tensor& before, const Tensor& cell,
                                                    const Tensor& gates, bool hasBias) {
  const auto given = [&](const std::optional<Tensor>& gradient) {
    return gradient && gradient->defined() ? *gradient : at::zeros_like(cell);
  };
  const auto parts = gates.chunk(4, 1);
  const Tensor &in = parts[0], &forget = parts[1], &candidate = parts[2], &out = parts[3];
  const Tensor bounded = at::tanh(cell), ofHidden = given(gradHidden);
  const Tensor ofCell = given(gradCell) + ofHidden * out * (1 - bounded * bounded);
  const Tensor ofGates =
      at::cat({ofCell * candidate * in * (1 - in), ofCell * before * forget * (1 - forget),
               ofCell * in * (1 - candidate * candidate), ofHidden * bounded * out * (1 - out)},
              1);
  return {ofGates, ofCell * forget, hasBias ? ofGates.sum(0) : Tensor{}};
}

// --- everything else ----------------------------------------------------------------------------

// Every tensor among an operator's arguments.
std::vector<Tensor> tensorsAmong(at::ArrayRef<c10::IValue> arguments) {
  std::vector<Tensor> all;
  for (const c10::IValue& argument : arguments) {
    if (argument.isTensor()) {
      all.push_back(argument.toTensor());
    } else if (argument.isTensorList()) {
      for (const Tensor& tensor : argument.toTensorVector()) all.push_back(tensor);
    } else if (argument.isOptionalTensorList()) {
      for (const auto& tensor : argument.toOptionalTensorVector())
        if (tensor) all.push_back(*tensor);
    }
  }
  std::erase_if(all, [](const Tensor& tensor) { return !tensor.defined(); });
  return all;
}

// As the wrappers of a GPU's operators refuse them; the fallback itself takes anything.
void checkDevices(const c10::FunctionSchema& schema, const std::vector<Tensor>& tensors) {
  const bool onHost = std::any_of(tensors.begin(), tensors.end(), [](const Tensor& tensor) {
    return tensor.is_cpu() && tensor.dim() > 0;
  });
  TORCH_CHECK(!onHost, "Expected all tensors to be on the same device, but an argument of ",
              schema.name(), " is on the host");
}

bool returnsNumber(const c10::FunctionSchema& schema) {
  return std::any_of(schema.returns().begin(), schema.returns().end(), [](const auto& result) {
    const auto kind = result.type()->kind();
    return kind != c10::TypeKind::TensorType && kind != c10::TypeKind::ListType;
  });
}

bool sizeDependsOnValues(const c10::FunctionSchema& schema, at::ArrayRef<c10::IValue> arguments) {
  static const std::set<std::string> kNames{"aten::nonzero",    "aten::masked_select",
                                            "aten::_unique",    "aten::_unique2",
                                            "aten::unique_dim", "aten::unique_consecutive",
                                            "aten::bincount",   "aten::unique_dim_consecutive"};
  if (kNames.contains(schema.name())) return true;
  if (schema.name() == "aten::repeat_interleave") return arguments.back().isNone();
  // Indices that are masks stand for their nonzero().
  return std::any_of(arguments.begin(), arguments.end(), [](const c10::IValue& argument) {
    if (!argument.isOptionalTensorList()) return false;
    const auto indices = argument.toOptionalTensorVector();
    return std::any_of(indices.begin(), indices.end(), [](const auto& index) {
      return index && index->defined() && index->scalar_type() == at::kBool;
    });
  });
}

void computeOnHost(const c10::OperatorHandle& operation, torch::jit::Stack* stack) {
  const auto& schema = operation.schema();
  const auto arguments = torch::jit::last(*stack, schema.arguments().size());
  checkDevices(schema, tensorsAmong(arguments));
  if (returnsNumber(schema) || sizeDependsOnValues(schema, arguments))
    countWait(schema.name().substr(std::strlen("aten::")));
  struct Inside {
    bool before = std::exchange(inside, true);
    ~Inside() { inside = before; }
  } const here;
  at::native::cpu_fallback(operation, stack);
}

TORCH_LIBRARY_IMPL(aten, PrivateUse1, library) {
  library.impl("empty.memory_format", &makeEmpty);
  library.impl("empty_strided", &makeEmptyStrided);
  library.impl("_copy_from", &copyFrom);
  library.impl("_copy_from_and_resize", &copyFromAndResize);
  library.impl("_to_cpu", &toCpu);
  library.impl("_local_scalar_dense", &scalarOf);
  library.impl("as_strided", &at::native::as_strided_tensorimpl);
  library.impl("view", &at::native::view);
  library.impl("_reshape_alias", &at::native::_reshape_alias);
  library.impl("resize_", &at::native::resize_);
  library.impl("set_.source_Storage", &setStorage);
  library.impl("set_.source_Storage_storage_offset", &at::native::set_storage_cpu_);
  library.impl("_thnn_fused_lstm_cell", &lstmCell);
  library.impl("_thnn_fused_lstm_cell_backward_impl", &lstmCellBackward);
}

TORCH_LIBRARY_IMPL(_, PrivateUse1, library) {
  library.fallback(torch::CppFunction::makeFromBoxedFunction<&computeOnHost>());
}

bool registerDevice() {
  static Hooks hooks;
  c10::register_privateuse1_backend("counting");
  c10::SetAllocator(kType, &deviceMemory());
  at::RegisterPrivateUse1HooksInterface(&hooks);
  return true;
}

}  // namespace

torch::Device countingDevice() {
  static const bool registered = registerDevice();
  static_cast<void>(registered);
  return {kType, 0};
}

void limitDeviceMemory(std::int64_t bytes) {
  const std::lock_guard lock(mutex);
  DeviceMemory::limit = bytes;
}

std::string DeviceTraffic::text() const {
  std::string text;
  for (const auto& [cause, times] : waits)
    text += (text.empty() ? "" : ", ") + cause + " " + std::to_string(times);
  return text.empty() ? "none" : text;
}

DeviceTraffic takeDeviceTraffic() {
  const std::lock_guard lock(mutex);
  return std::exchange(traffic, {});
}

}  // namespace strata::testing
