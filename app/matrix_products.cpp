#include "app/matrix_products.h"

#include <ATen/Parallel.h>

#include <algorithm>
#include <limits>
#include <string_view>
#include <tuple>

#include "app/timing.h"

namespace strata {
namespace {

using torch::Tensor;

bool isTransposed(const Tensor& matrix) {
  return matrix.stride(-1) != 1 && matrix.stride(-2) == 1;
}

}  // namespace

double MatrixProducts::Product::flops() const {
  return 2.0 * static_cast<double>(matrices) * static_cast<double>(rows) *
         static_cast<double>(inner) * static_cast<double>(columns);
}

// Computes products on slices of one buffer per thread, which grows as needed.
class MatrixProducts::Replay {
 public:
  // Seconds of `count` of the product.
  double seconds(const Product& product, std::int64_t count) {
    const int threads = product.alone ? at::get_num_threads() : 1;
    Operands operands = operandsOf(product, threads);
    // As often as counted, within bounds: enough to time, not too long to wait.
    const double known = 3e8 / product.flops();
    const auto turns = std::clamp<std::int64_t>(
        std::min<std::int64_t>(count / threads, static_cast<std::int64_t>(known)), 1, 64);
    make(product, operands, 1);
    double best = std::numeric_limits<double>::infinity();
    for (int run = 0; run < 3; ++run) {
      const auto begin = BenchClock::now();
      make(product, operands, turns);
      best = std::min(best, secondsSince(begin) / static_cast<double>(turns));
    }
    return best * static_cast<double>(count) / threads;
  }

 private:
  struct Operands {
    std::vector<Tensor> left, right, result;  // one per thread
  };

  Operands operandsOf(const Product& product, int threads) {
    const auto [matrices, rows, inner, columns] =
        std::tuple(product.matrices, product.rows, product.inner, product.columns);
    const std::int64_t left = matrices * rows * inner, right = matrices * inner * columns,
                       result = matrices * rows * columns, each = left + result;
    // Parallel threads read the same weight matrix.
    if (!buffer_.defined() || buffer_.numel() < right + each * threads)
      buffer_ = torch::randn({right + each * threads});
    const auto matrix = [&](std::int64_t at, std::int64_t height, std::int64_t width,
                            bool transposed) {
      const Tensor flat = buffer_.narrow(0, at, matrices * height * width);
      const Tensor shaped = transposed ? flat.view({matrices, width, height}).transpose(1, 2)
                                       : flat.view({matrices, height, width});
      return matrices == 1 ? shaped.select(0, 0) : shaped;
    };
    Operands operands;
    for (int thread = 0; thread < threads; ++thread) {
      const std::int64_t at = right + thread * each;
      operands.left.push_back(matrix(at, rows, inner, product.leftTransposed));
      operands.right.push_back(matrix(0, inner, columns, product.rightTransposed));
      operands.result.push_back(matrix(at + left, rows, columns, false));
    }
    return operands;
  }

  static void makeOne(const Product& product, const Tensor& left, const Tensor& right,
                      Tensor& result) {
    if (product.matrices > 1) {
      product.added ? at::baddbmm_out(result, result, left, right)
                    : at::bmm_out(result, left, right);
    } else {
      product.added ? at::addmm_out(result, result, left, right) : at::mm_out(result, left, right);
    }
  }

  // On all threads if there are operands for several.
  static void make(const Product& product, Operands& operands, std::int64_t turns) {
    const auto some = [&](std::int64_t thread) {
      const torch::NoGradGuard frozen;
      const auto at = static_cast<std::size_t>(thread);
      for (std::int64_t turn = 0; turn < turns; ++turn)
        makeOne(product, operands.left[at], operands.right[at], operands.result[at]);
    };
    const std::int64_t threads = std::ssize(operands.left);
    if (threads == 1) return some(0);
    at::parallel_for(0, threads, 1, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t thread = begin; thread < end; ++thread) some(thread);
    });
  }

  Tensor buffer_;
};

MatrixProducts* MatrixProducts::current_ = nullptr;

MatrixProducts::MatrixProducts() {
  current_ = this;
  callback_ = at::addGlobalCallback(at::RecordFunctionCallback(&MatrixProducts::observe)
                                        .needsInputs(true)
                                        .scopes({at::RecordScope::FUNCTION}));
}

MatrixProducts::~MatrixProducts() {
  stop();
}

void MatrixProducts::stop() {
  if (!counting_) return;
  at::removeCallback(callback_);
  counting_ = false;
  current_ = nullptr;
}

std::unique_ptr<at::ObserverContext> MatrixProducts::observe(const at::RecordFunction& function) {
  // In-place and out variants differ only in the end of the name.
  std::string_view name = function.name();
  if (name.ends_with('_')) name.remove_suffix(1);
  const bool plain = name == "aten::mm" || name == "aten::bmm" || name == "strata::mm";
  const bool added = name == "aten::addmm" || name == "aten::baddbmm";
  if (!plain && !added) return nullptr;
  const auto inputs = function.inputs();
  const std::size_t first = plain ? 0 : 1;
  if (inputs.size() > first + 1 && inputs[first].isTensor() && inputs[first + 1].isTensor())
    current_->add(inputs[first].toTensor(), inputs[first + 1].toTensor(), added);
  return nullptr;
}

void MatrixProducts::add(const Tensor& left, const Tensor& right, bool added) {
  const Product product{.matrices = left.dim() == 3 ? left.size(0) : 1,
                        .rows = left.size(-2),
                        .inner = left.size(-1),
                        .columns = right.size(-1),
                        .leftTransposed = isTransposed(left),
                        .rightTransposed = isTransposed(right),
                        .added = added,
                        .alone = at::in_parallel_region()};
  const std::lock_guard<std::mutex> lock(mutex_);
  ++counts_[product];
}

double MatrixProducts::flops() const {
  double total = 0;
  for (const auto& [product, count] : counts_)
    total += product.flops() * static_cast<double>(count);
  return total;
}

double MatrixProducts::seconds() const {
  const torch::NoGradGuard frozen;
  Replay replay;
  double total = 0;
  for (const auto& [product, count] : counts_) total += replay.seconds(product, count);
  return total;
}

}  // namespace strata
