#pragma once
#include <torch/csrc/distributed/c10d/Store.hpp>

#include <chrono>
#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace strata {

// Signs of life of the processes that train together, through their store: each counts up, rank 0
// watches all of them and tells which one is lost, and the others watch rank 0. So each process
// learns within the timeout who was killed or stopped, which a broken connection does not say.
class Heartbeats {
 public:
  struct Options {
    int rank = 0;
    std::vector<std::string> hosts;  // of each rank, for messages
    bool storeIsElsewhere = false;   // a launcher has it; else it ends with rank 0
    std::chrono::duration<double> timeout{120};
  };
  // The first sign of life of a process, before all are there.
  static void announce(c10d::Store& store, int rank);
  // All processes have announced themselves. `store`: used by this object's thread only.
  Heartbeats(c10::intrusive_ptr<c10d::Store> store, Options options);
  // Does not wait for a store that no longer answers.
  ~Heartbeats();
  Heartbeats(const Heartbeats&) = delete;
  Heartbeats& operator=(const Heartbeats&) = delete;

  void setTimeout(std::chrono::duration<double> timeout);
  std::chrono::duration<double> timeout() const;
  // One sentence about the process that is lost; empty: none is known to be.
  std::string lost() const;
  // Tells the other processes why this one ends. Waits until it is said, at most a second.
  void fail(const std::string& reason);

 private:
  struct State;
  std::shared_ptr<State> state_;  // shared with the thread, which may outlive this object
  std::thread thread_;
};

}  // namespace strata
