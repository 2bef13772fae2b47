#pragma once
#include <torch/torch.h>

#include <string>

namespace strata {

// Loads libtorch_cuda.so beside libtorch_cpu.so when a driver answers, once; nothing of CUDA is
// touched otherwise. True when at least one device can be used. It comes before anything that
// computes: the first backward pass, and some operators, ask libtorch whether there is CUDA, and
// what they hear without that library holds for the process.
bool loadCuda();

// The device of a configuration or option: "auto" (CUDA where it works, else the CPU, with a
// warning where the driver offers a device), "cpu", "cuda" or "cuda:N". Errors say why a CUDA
// device cannot be used.
torch::Device selectDevice(const std::string& name);

// "auto" becomes bf16 on a GPU and fp32 on the CPU, where bf16 products are slower; other names
// stay as they are.
std::string selectPrecision(const std::string& name, const torch::Device& device);

// Makes the device's operators give the same bits each time from now on, or no longer; a CPU's
// always do. Call before the first product.
void setDeterministic(bool on, const torch::Device& device);

// Threads of the operators of this process: 0 takes every core it may run on. Operators never run
// beside each other.
void setThreads(int threads);

}  // namespace strata
