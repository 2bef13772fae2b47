#pragma once
#include <c10/core/Event.h>
#include <c10/core/Stream.h>
#include <torch/types.h>

#include <atomic>
#include <mutex>
#include <string>

namespace strata {

// Sums of float32 tensors over processes that have a GPU each, from GPU to GPU: NCCL. Its library
// comes with the CUDA part of libtorch; the functions used of it are looked up by name, so that no
// CUDA toolkit is needed to build.
//
// The host never waits here: a sum follows what is computed before it, and what is computed after
// waiting for it follows the sum, on the GPU.
class GpuSums {
 public:
  // NCCL's version, "2.28.9"; empty: its library is not there.
  static std::string version();
  // Tells GPUs of one computer apart, also where each process sees only its own: the address on the
  // bus, "0000:17:00.0". Empty: unknown.
  static std::string addressOf(const torch::Device& device);
  // What rank 0 makes and all connect with: bytes.
  static std::string newId();

  // Connects the processes: returns once all have called it.
  GpuSums(const std::string& id, int rank, int size, const torch::Device& device);
  // Ends what is not finished; never waits for a process.
  ~GpuSums();
  GpuSums(const GpuSums&) = delete;
  GpuSums& operator=(const GpuSums&) = delete;

  bool canSum(const torch::Tensor& tensor) const {
    return tensor.device() == device_ && tensor.scalar_type() == torch::kFloat32;
  }
  // Sums in place. The tensor must live and stay untouched until waitFor() has been called.
  c10::Event start(const torch::Tensor& tensor);
  void waitFor(const c10::Event& sum) const;

  // Looks for a failed connection; ends all sums if there is one, or on stop(), with what they have
  // come to: their tensors are then to be thrown away. From any thread.
  void check();
  void stop();
  // Why the sums ended; empty: they have not.
  std::string failure() const;

 private:
  void fail(const std::string& why);

  torch::Device device_;
  c10::Stream stream_;
  mutable std::mutex mutex_;        // of failure_
  std::timed_mutex communicating_;  // one call at a time
  std::string failure_;
  std::atomic<void*> communicator_ = nullptr;
};

}  // namespace strata
