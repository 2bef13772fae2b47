// Additive attention of one query per row, without torch and on the calling thread:
//   alpha = softmax_s( v . tanh(K_s + q) ),  context = sum_s alpha_s V_s
// T is float or double; rows of all arrays are contiguous unless a stride is given.
#pragma once
#include <cstdint>

namespace strata::kernels {

struct AdditiveShape {
  std::int64_t rows = 0, keys = 0;          // keys of the longest sentence
  std::int64_t width = 0, valueWidth = 0;   // of queries and keys; of values
  std::int64_t contextStride = 0;           // between the contexts of two rows
  std::int64_t weightStride = 0;            // between the weights of two rows
  const std::int32_t* sentences = nullptr;  // of each row; null: row r reads sentence r
  const std::int64_t* lengths = nullptr;    // true keys of each sentence; null: all
};

template <typename T>
struct AdditiveArguments {
  const T *queries, *keys, *values;  // [rows, width], [sentences, keys, width], [.., valueWidth]
  const T* energy;                   // v [width]
  T* weights;                        // alpha; 0 beyond a sentence's length
  T* contexts;                       // [rows, valueWidth]: the context is added
};
template <typename T>
void additiveAttention(const AdditiveArguments<T>& arguments, const AdditiveShape& shape);

// Gradients of everything but the values, which are one product over all steps: alpha^T
// gradContext.
template <typename T>
struct AdditiveGradients {
  const T *queries, *keys, *values, *energy, *weights;
  const T* gradContexts;
  T* gradQueries;  // set
  T* gradKeys;     // added to
  T* gradEnergy;   // added to
};
template <typename T>
void additiveAttentionBackward(const AdditiveGradients<T>& gradients, const AdditiveShape& shape);

}  // namespace strata::kernels
