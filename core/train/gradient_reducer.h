#pragma once
#include <cstdint>
#include <memory>
#include <vector>

#include "core/distributed/process_group.h"
#include "core/nn/parameters.h"
#include "core/train/gradient_buffer.h"

namespace strata {

// Sums the gradients of the processes that train together, while back-propagation goes on: the
// buffer of gradients is cut into buckets, and a bucket is on its way as soon as its last gradient
// is complete. Buckets depend only on the layout, and always leave in the same order (from the
// buffer's end, as back-propagation completes them), so that all processes agree, a process without
// a batch too, and a resumed run adds in the same order.
class GradientReducer {
 public:
  static constexpr std::int64_t kBucketBytes = std::int64_t{16} << 20;

  // All three outlive the reducer.
  GradientReducer(ProcessGroup& group, const ParameterBuffer& parameters, GradientBuffer& gradients,
                  std::int64_t bucketBytes = kBucketBytes);
  ~GradientReducer();
  GradientReducer(const GradientReducer&) = delete;
  GradientReducer& operator=(const GradientReducer&) = delete;

  // Before the last back-propagation of this process for an update, if it has any batch of it.
  void begin();
  // After it: sends what is left, parameters without a gradient as zeros, and waits until the
  // gradients of all processes are summed.
  void finish();

  std::size_t buckets() const { return buckets_.size(); }

 private:
  struct Bucket {
    torch::Tensor values;  // a part of the buffer
    int parameters = 0;    // whose gradients it holds
    int missing = 0;       // of them, in this back-propagation
  };
  void complete(std::size_t parameter);
  void send();

  ProcessGroup& group_;
  GradientBuffer& gradients_;
  std::vector<Bucket> buckets_;             // in the order in which they leave
  std::vector<std::size_t> bucketOf_;       // of each parameter
  std::vector<ProcessGroup::Sum> running_;  // the buckets that have left
};

}  // namespace strata
