#pragma once
#include <torch/torch.h>

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <tuple>

namespace strata {

// The matrix products that libtorch is asked for until stop(), by all threads: how often for each
// shape. Work in kernels of our own (attention over a few positions, softmax, cells) is not
// counted.
class MatrixProducts {
 public:
  MatrixProducts();
  ~MatrixProducts();
  MatrixProducts(const MatrixProducts&) = delete;
  MatrixProducts& operator=(const MatrixProducts&) = delete;

  void stop();  // counts no more; before the results are asked for

  // Multiplications and additions, 2 a product of two numbers.
  double flops() const;
  // Seconds that the same products take one after the other and nothing else, on numbers of their
  // own on the processor. Products that one thread made beside others are made by all threads side
  // by side. flops() over it is the machine's rate at these shapes.
  double seconds() const;

 private:
  struct Product {
    std::int64_t matrices, rows, inner, columns;
    bool leftTransposed, rightTransposed;  // as they lie in memory
    bool added;                            // to what the result holds
    bool alone;                            // by one thread, which made it beside the others

    auto tied() const {
      return std::tie(matrices, rows, inner, columns, leftTransposed, rightTransposed, added,
                      alone);
    }
    bool operator<(const Product& other) const { return tied() < other.tied(); }
    double flops() const;
  };
  class Replay;

  static std::unique_ptr<at::ObserverContext> observe(const at::RecordFunction& function);
  void add(const at::Tensor& left, const at::Tensor& right, bool added);

  static MatrixProducts* current_;  // one at a time
  at::CallbackHandle callback_;
  bool counting_ = true;
  std::mutex mutex_;  // while counting
  std::map<Product, std::int64_t> counts_;
};

}  // namespace strata
