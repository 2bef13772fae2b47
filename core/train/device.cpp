#include "core/train/device.h"

#include <dlfcn.h>
#include <torch/cuda.h>

#include <cstdlib>
#include <filesystem>
#include <mutex>

#include "core/base/error.h"
#include "core/base/log.h"
#include "core/base/parse_number.h"
#include "core/base/threads.h"
#include "core/nn/kernels/rounded_products.h"

namespace strata {
namespace {

namespace fs = std::filesystem;

struct CudaState {
  bool usable = false;
  int devices = 0;     // number that the driver offers
  std::string reason;  // why none is usable
};

// The folder of libtorch_cpu.so; libtorch_cuda.so is next to it.
fs::path torchFolder() {
  Dl_info info{};
  const auto address = reinterpret_cast<const void*>(&at::set_num_threads);
  if (dladdr(address, &info) == 0 || info.dli_fname == nullptr) return {};
  return fs::path(info.dli_fname).parent_path();
}

// Why libtorch's CUDA part is not there, and what to do. Packages have only the CPU part, and a
// text about it: the user of a package has no packaging/setup.sh.
std::string adviceWithout(const fs::path& library, const std::string& problem) {
  std::error_code unknown;
  const fs::path prefix = fs::weakly_canonical(library, unknown).parent_path() / "../..";
  const fs::path text = (prefix / "share/doc/strata/gpu.txt").lexically_normal();
  if (!fs::exists(library, unknown) && fs::exists(text, unknown)) {
    return fmt::format(
        "this package of Strata has only libtorch's CPU part; {} says how to build Strata for the "
        "GPU of this computer",
        text.string());
  }
  return fmt::format(
      "{} cannot be loaded ({}); run packaging/setup.sh again to fetch the CUDA parts",
      library.string(), problem);
}

// How many devices the driver reports; 0 if unknown.
int devicesOf(void* driver) {
  using Initialise = int (*)(unsigned);
  using Count = int (*)(int*);
  const auto initialise = reinterpret_cast<Initialise>(dlsym(driver, "cuInit"));
  const auto count = reinterpret_cast<Count>(dlsym(driver, "cuDeviceGetCount"));
  int devices = 0;
  if (initialise == nullptr || count == nullptr || initialise(0) != 0 || count(&devices) != 0)
    return 0;
  return devices;
}

CudaState openCuda() {
  void* const driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_GLOBAL);
  if (driver == nullptr) return {false, 0, "this computer has no NVIDIA driver"};
  const int devices = devicesOf(driver);
  if (devices == 0) return {false, 0, "the NVIDIA driver is installed but offers no device"};
  const fs::path library = torchFolder() / "libtorch_cuda.so";
  if (dlopen(library.c_str(), RTLD_NOW | RTLD_GLOBAL) == nullptr) {
    const char* const problem = dlerror();
    return {false, devices,
            adviceWithout(library, problem == nullptr ? "unknown reason" : problem)};
  }
  if (!torch::cuda::is_available()) {
    return {false, devices,
            "libtorch does not see the devices that the NVIDIA driver offers: the driver is too "
            "old, or a backward pass ran before CUDA was loaded"};
  }
  // cuDNN's attention plans each new shape for longer than a step takes, and batches differ in
  // shape.
  at::globalContext().setSDPUseCuDNN(false);
  return {true, devices, ""};
}

const CudaState& cudaState() {
  static const CudaState state = openCuda();
  return state;
}

}  // namespace

bool loadCuda() {
  return cudaState().usable;
}

torch::Device selectDevice(const std::string& name) {
  if (name == "cpu") return torch::kCPU;
  if (name == "auto" || name.empty()) {
    if (loadCuda()) return {torch::kCUDA, 0};
    if (cudaState().devices > 0) {  // with a GPU installed, users expect it to be used
      static std::once_flag said;
      std::call_once(said, [] { spdlog::warn("device auto is the CPU: {}", cudaState().reason); });
    }
    return torch::kCPU;
  }
  constexpr std::string_view kNumbered = "cuda:";
  std::optional<int> parsed;
  if (name == "cuda") parsed = 0;
  if (name.starts_with(kNumbered)) parsed = parseNumber<int>(name.substr(kNumbered.size()));
  if (!parsed) throw usageError("Unknown device '{}'; expected auto, cpu, cuda or cuda:N", name);
  const int index = *parsed;
  if (!loadCuda())
    throw Error("Device {} cannot be used: {}; use --device cpu", name, cudaState().reason);
  const int count = static_cast<int>(torch::cuda::device_count());
  if (index < 0 || index >= count) {
    throw Error("Device {} does not exist: this computer has cuda:0 to cuda:{}", name, count - 1);
  }
  return {torch::kCUDA, static_cast<c10::DeviceIndex>(index)};
}

std::string selectPrecision(const std::string& name, const torch::Device& device) {
  if (name == "bf16" && device.is_cpu() && !kernels::hasRoundedProducts()) {
    static std::once_flag said;
    std::call_once(said, [] {
      spdlog::warn("precision bf16 is slower than fp32 on a CPU without AVX-512 BF16");
    });
  }
  if (name != "auto") return name;
  return device.is_cuda() ? "bf16" : "fp32";
}

void setDeterministic(bool on, const torch::Device& device) {
  if (device.is_cpu()) return;
  if (on) setenv("CUBLAS_WORKSPACE_CONFIG", ":4096:8", /*overwrite=*/0);  // required by cuBLAS
  at::globalContext().setDeterministicAlgorithms(on, /*warn_only=*/false);
}

void setThreads(int threads) {
  at::set_num_threads(threads > 0 ? threads : availableCores());
  // The inter-op pool can be sized only once, before its first use.
  static std::once_flag sized;
  std::call_once(sized, [] { at::set_num_interop_threads(1); });
}

}  // namespace strata
