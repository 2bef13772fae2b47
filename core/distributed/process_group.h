#pragma once
#include <torch/types.h>

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace strata {

struct GroupOptions {
  int rank = 0, size = 1;
  std::string address = "127.0.0.1";  // of the store, by which the processes find each other
  int port = 29500;
  bool storeIsElsewhere = false;  // a launcher has it; else rank 0 serves it
  std::string attempt = {};       // begins the store's keys: which start of the processes this is
  std::string program = {};       // its version: the same in all processes
  // Without a sign of life for so long a process counts as lost; so long they wait for each other.
  std::chrono::duration<double> timeout{120};
  // What this process was asked to train, as a text: the same in all processes. `difference` says
  // in which way another process's text differs.
  std::string asked = {};
  std::function<std::string(const std::string& theirs)> difference = {};
  // Called every ten seconds while others are missing, with a sentence that names them.
  std::function<void(const std::string&)> waiting = {};
  // True once this process has been told to end: it then does not wait to learn who is lost.
  std::function<bool()> isEnding = {};
};

// The processes that train together, one each on a part of every update's batches. They are
// connected by Gloo (c10d) over the network. All call the same functions in the same order; each
// throws an interruption error that names the process, once one is lost (Heartbeats). After that
// only tell() and the destructor may be called, and the process should end.
//
// Tensors are contiguous. Those of a device other than the CPU are passed through the host's
// memory, for which the host waits, unless their GPUs are connected (connectGpus).
class ProcessGroup {
 public:
  // Waits for all processes, at most for the timeout, and names those that did not come.
  explicit ProcessGroup(const GroupOptions& options);
  ~ProcessGroup();
  ProcessGroup(const ProcessGroup&) = delete;
  ProcessGroup& operator=(const ProcessGroup&) = delete;

  int rank() const { return rank_; }
  int size() const { return size_; }
  bool isFirst() const { return rank_ == 0; }
  // Among the processes of this computer: of all of them, and of those that share its cores with
  // this one (a launcher may have given each its own).
  int localRank() const;
  int coreSharers() const;
  void setTimeout(std::chrono::duration<double> timeout);

  // All processes call it, each with its device: if each has a GPU of its own, their float32
  // tensors are then summed from GPU to GPU, and the host does not wait. Returns how, for people:
  // "from GPU to GPU by NCCL 2.28.9", or "through the host's memory: " and why.
  std::string connectGpus(const torch::Device& device);

  // A sum that goes on in the background. The tensor holds it after wait().
  class Sum {
   public:
    void wait();

   private:
    friend class ProcessGroup;
    struct State;
    std::shared_ptr<State> state_;
  };
  // Sums a tensor over all processes, in place: the same bits in all of them and at each
  // repetition.
  Sum startSum(const torch::Tensor& tensor);
  void sum(const torch::Tensor& tensor) { startSum(tensor).wait(); }
  // From rank 0 to all.
  void share(const torch::Tensor& tensor);
  std::string share(const std::string& text);
  // The texts of all processes, in the order of ranks, on each.
  std::vector<std::string> gather(const std::string& text);
  // Waits until all processes are here.
  void meet();
  // Tells the others why this process ends.
  void tell(const std::string& reason);

 private:
  class Impl;
  int rank_, size_;
  std::unique_ptr<Impl> impl_;
};

}  // namespace strata
