#pragma once
#include <torch/types.h>

#include <string>

namespace strata {

// Loads libtorch_cuda.so from the folder of libtorch_cpu.so if a driver answers, once; CUDA is not
// touched otherwise. True if at least one device can be used. Must be called before anything
// computes: the first backward pass, and some operators, ask libtorch whether CUDA exists, and the
// answer without that library is kept for the process.
bool loadCuda();

// The device of a configuration or option: "auto" (CUDA if it works, else the CPU, with a warning
// if the driver offers a device), "cpu", "cuda" or "cuda:N". Errors say why a CUDA device cannot be
// used.
torch::Device selectDevice(const std::string& name);

// Resolves "auto" to bf16 on a GPU and fp32 on the CPU; other names are returned unchanged, with a
// warning for bf16 on a CPU that has no instruction for it (AVX-512 BF16), where it is slower.
std::string selectPrecision(const std::string& name, const torch::Device& device);

// Turns bit-reproducible operators of the device on or off; the CPU's always are. Call before the
// first product.
void setDeterministic(bool on, const torch::Device& device);

// Threads of this process's operators: 0 uses every available core. Operators never run
// concurrently.
void setThreads(int threads);

}  // namespace strata
