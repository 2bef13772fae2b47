#include "core/train/gradient_reducer.h"

#include <algorithm>
#include <numeric>

namespace strata {

GradientReducer::GradientReducer(ProcessGroup& group, const ParameterBuffer& parameters,
                                 GradientBuffer& gradients, std::int64_t bucketBytes)
    : group_(group), gradients_(gradients), bucketOf_(parameters.named().size()) {
  std::vector<std::size_t> order(bucketOf_.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, std::greater(), [&](std::size_t i) { return parameters.beginOf(i); });
  const torch::Tensor& values = gradients.values();
  const std::int64_t most = std::max<std::int64_t>(1, bucketBytes / values.element_size());
  std::int64_t end = values.numel();
  int members = 0;
  for (std::size_t n = 0; n < order.size(); ++n) {
    bucketOf_[order[n]] = buckets_.size();
    ++members;
    const bool isLast = n + 1 == order.size();
    const std::int64_t begin = isLast ? 0 : parameters.beginOf(order[n]);
    if (end - begin < most && !isLast) continue;
    buckets_.push_back(
        {.values = values.narrow(0, begin, end - begin), .parameters = members, .missing = 0});
    end = begin;
    members = 0;
  }
  gradients_.onComplete([this](std::size_t parameter) { complete(parameter); });
}

GradientReducer::~GradientReducer() {
  gradients_.onComplete({});
}

void GradientReducer::begin() {
  for (Bucket& bucket : buckets_) bucket.missing = bucket.parameters;
}

void GradientReducer::complete(std::size_t parameter) {
  Bucket& bucket = buckets_[bucketOf_[parameter]];
  if (bucket.missing == 0) return;  // of an earlier back-propagation
  if (--bucket.missing == 0) send();
}

// A bucket leaves after those before it.
void GradientReducer::send() {
  while (running_.size() < buckets_.size() && buckets_[running_.size()].missing == 0)
    running_.push_back(group_.startSum(buckets_[running_.size()].values));
}

void GradientReducer::finish() {
  gradients_.complete();
  for (Bucket& bucket : buckets_) bucket.missing = 0;
  send();
  for (auto& sum : running_) sum.wait();
  running_.clear();
}

}  // namespace strata
