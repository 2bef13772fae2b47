#include "core/distributed/gpu_sums.h"

#include <c10/core/DeviceGuard.h>
#include <c10/core/impl/VirtualGuardImpl.h>
#include <dlfcn.h>

#include <chrono>
#include <cstring>
#include <utility>

#include "core/base/error.h"

namespace strata {
namespace {

// From nccl.h; the same in all versions 2.
constexpr int kSuccess = 0, kInProgress = 7, kFloat32 = 7, kSum = 0;
struct UniqueId {
  char bytes[128];
};

struct Nccl {
  int (*getVersion)(int*) = nullptr;
  int (*getUniqueId)(UniqueId*) = nullptr;
  int (*initRank)(void** communicator, int size, UniqueId, int rank) = nullptr;
  int (*allReduce)(const void* in, void* out, std::size_t count, int type, int operation,
                   void* communicator, void* stream) = nullptr;
  int (*asyncError)(void* communicator, int*) = nullptr;
  int (*abort)(void* communicator) = nullptr;
  const char* (*errorString)(int) = nullptr;
};

template <typename Function>
bool find(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(dlsym(library, name));
  return function != nullptr;
}

// Null: not there. libtorch's CUDA part has loaded it already.
const Nccl* nccl() {
  static const std::unique_ptr<const Nccl> functions = []() -> std::unique_ptr<const Nccl> {
    void* const library = dlopen("libnccl.so.2", RTLD_NOW);
    if (library == nullptr) return nullptr;
    auto found = std::make_unique<Nccl>();
    const bool complete = find(library, "ncclGetVersion", found->getVersion) &&
                          find(library, "ncclGetUniqueId", found->getUniqueId) &&
                          find(library, "ncclCommInitRank", found->initRank) &&
                          find(library, "ncclAllReduce", found->allReduce) &&
                          find(library, "ncclCommGetAsyncError", found->asyncError) &&
                          find(library, "ncclCommAbort", found->abort) &&
                          find(library, "ncclGetErrorString", found->errorString);
    return complete ? std::move(found) : nullptr;
  }();
  return functions.get();
}

void expectSuccess(int result, const char* what) {
  if (result != kSuccess)
    throw Error("NCCL {}: {}; NCCL_DEBUG=WARN says more", what, nccl()->errorString(result));
}

}  // namespace

std::string GpuSums::version() {
  int number = 0;
  if (nccl() == nullptr || nccl()->getVersion(&number) != kSuccess) return {};
  return fmt::format("{}.{}.{}", number / 10000, number / 100 % 100, number % 100);
}

std::string GpuSums::addressOf(const torch::Device& device) {
  void* const driver = dlopen("libcuda.so.1", RTLD_NOW);
  int (*address)(char*, int, int) = nullptr;
  char text[32] = {};
  if (driver == nullptr || !find(driver, "cuDeviceGetPCIBusId", address) ||
      address(text, sizeof text, device.index()) != 0)
    return {};
  return text;
}

std::string GpuSums::newId() {
  if (nccl() == nullptr) throw Error("libnccl.so.2 is not there");
  UniqueId id{};
  expectSuccess(nccl()->getUniqueId(&id), "cannot make an address to meet at");
  return {id.bytes, sizeof id.bytes};
}

GpuSums::GpuSums(const std::string& id, int rank, int size, const torch::Device& device)
    : device_(device),
      stream_(c10::impl::VirtualGuardImpl(device.type())
                  .getStreamFromGlobalPool(device, /*isHighPriority=*/true)) {
  UniqueId bytes{};
  if (nccl() == nullptr || id.size() != sizeof bytes.bytes)
    throw Error("NCCL cannot connect: rank 0 has made no address to meet at");
  std::memcpy(bytes.bytes, id.data(), sizeof bytes.bytes);
  const c10::DeviceGuard guard(device_);
  void* made = nullptr;
  expectSuccess(nccl()->initRank(&made, size, bytes, rank), "cannot connect");
  communicator_ = made;
}

GpuSums::~GpuSums() {
  stop();
}

c10::Event GpuSums::start(const torch::Tensor& tensor) {
  const c10::impl::VirtualGuardImpl device(device_.type());
  const c10::DeviceGuard guard(device_);
  c10::Event event(device_.type());
  event.record(device.getStream(device_));
  event.block(stream_);
  const std::lock_guard lock(communicating_);
  void* const communicator = communicator_;
  if (communicator == nullptr) return event;  // failure() says why
  const int result = nccl()->allReduce(tensor.data_ptr(), tensor.data_ptr(),
                                       static_cast<std::size_t>(tensor.numel()), kFloat32, kSum,
                                       communicator, stream_.native_handle());
  expectSuccess(result, "cannot sum");
  event.record(stream_);
  return event;
}

void GpuSums::waitFor(const c10::Event& sum) const {
  sum.block(c10::impl::VirtualGuardImpl(device_.type()).getStream(device_));
}

void GpuSums::check() {
  int error = kSuccess;
  {
    const std::unique_lock lock(communicating_, std::try_to_lock);
    void* const communicator = communicator_;
    if (!lock || communicator == nullptr) return;
    const int asked = nccl()->asyncError(communicator, &error);
    if (asked != kSuccess) error = asked;
  }
  if (error != kSuccess && error != kInProgress)
    fail(fmt::format("NCCL: {}", nccl()->errorString(error)));
}

void GpuSums::stop() {
  fail("the sums were stopped");
}

std::string GpuSums::failure() const {
  const std::lock_guard lock(mutex_);
  return failure_;
}

// A call that waits for a lost process holds the lock, and ends by being aborted.
void GpuSums::fail(const std::string& why) {
  {
    const std::lock_guard lock(mutex_);
    if (failure_.empty()) failure_ = why;
  }
  const std::unique_lock lock(communicating_, std::chrono::seconds(1));
  if (void* const communicator = communicator_.exchange(nullptr)) nccl()->abort(communicator);
}

}  // namespace strata
