#pragma once
#include <torch/types.h>

#include <compare>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>

namespace strata {

// Counts matrix products per shape, over all threads, until stop(): libtorch's and those of
// core/nn/cpu_products.h. Other kernels (attention over a few positions, softmax, recurrent cells)
// are not counted.
class MatrixProducts {
 public:
  MatrixProducts();
  ~MatrixProducts();
  MatrixProducts(const MatrixProducts&) = delete;
  MatrixProducts& operator=(const MatrixProducts&) = delete;

  void stop();  // ends counting; call before reading the results

  // Multiplications and additions: 2 per multiply-add.
  double flops() const;
  // Seconds that libtorch takes for the same products in sequence and in isolation, on synthetic
  // operands on the CPU. Products computed by one of several parallel threads are computed by all
  // threads in parallel. flops() divided by it is the library's rate at these shapes.
  double seconds() const;

 private:
  struct Product {
    std::int64_t matrices, rows, inner, columns;
    bool leftTransposed, rightTransposed;  // memory layout
    bool added;                            // accumulated into the result
    bool alone;                            // computed by one of several parallel threads

    auto operator<=>(const Product& other) const = default;  // the order has no meaning
    double flops() const;
  };
  class Replay;

  static std::unique_ptr<at::ObserverContext> observe(const at::RecordFunction& function);
  void add(const at::Tensor& left, const at::Tensor& right, bool added);

  static MatrixProducts* current_;  // one at a time
  at::CallbackHandle callback_;
  bool counting_ = true;
  std::mutex mutex_;  // protects the counts
  std::map<Product, std::int64_t> counts_;
};

}  // namespace strata
