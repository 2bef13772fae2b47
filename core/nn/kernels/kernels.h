// Passes over plain arrays for the CPU, without torch: rows are contiguous unless a stride is
// given, all outputs are the caller's. T is float or double. Each spreads its rows over `threads`
// threads; sums over rows are added up in the order of the threads, so that a result depends on
// their number but on nothing else.
#pragma once
#include <cstdint>
#include <vector>

namespace strata::kernels {

// Which elements dropout zeroes: element (row, column) of key, where its 32-bit hash is below the
// threshold.
struct Mask {
  std::uint64_t key = 0;
  std::uint32_t threshold = 0;  // 0: nothing is zeroed
  double scale = 1;             // of what survives
};
Mask maskOf(double rate, std::uint64_t key);

struct Extent {
  std::int64_t rows = 0, columns = 0;
  int threads = 1;
};

// out = Dropout(in); both may be the same array.
template <typename T>
void dropout(const T* in, T* out, const Mask& mask, const Extent& extent);

// inOut = Dropout(ReLU(inOut + bias)); bias may be null.
template <typename T>
void reluDropout(T* inOut, const T* bias, const Mask& mask, const Extent& extent);
// gradIn = gradOut * scale where the output is positive; biasGrad (may be null) receives its sums
// over the rows.
template <typename T>
void reluDropoutBackward(const T* gradOut, const T* output, T* gradIn, T* biasGrad, double scale,
                         const Extent& extent);

// out = LN(residual + Dropout(product + bias)). `product` becomes the normalised values before gain
// and bias, which the gradient needs. bias and residual may be null.
template <typename T>
struct NormArguments {
  T* product;
  const T* bias;
  const T* residual;
  const T* gain;
  const T* shift;
  T* out;
  T* inverseDeviation;  // one a row
  double epsilon;
};
template <typename T>
void dropoutNorm(const NormArguments<T>& arguments, const Mask& mask, const Extent& extent);

template <typename T>
struct NormGradients {
  const T* gradOut;
  const T* normalised;
  const T* inverseDeviation;
  const T* gain;
  T* product;  // gradient before dropout; the same array as residual where nothing is dropped
  T* residual;
  T* bias;  // may be null, like residual
  T* gainGrad;
  T* shiftGrad;
};
template <typename T>
void dropoutNormBackward(const NormGradients<T>& gradients, const Mask& mask, const Extent& extent);

// out[r] = Dropout(scale * table[ids[r]] + positions[r mod positionRows]); the row of a negative id
// is zero.
template <typename T>
struct EmbedArguments {
  const T* table;
  const std::int64_t* ids;
  const T* positions;
  std::int64_t positionRows;
  double scale;
  T* out;
};
template <typename T>
void embed(const EmbedArguments<T>& arguments, const Mask& mask, const Extent& extent);

// Where the positions of sentences lie in a buffer: position t of sentence b is row before + b *
// pitch + t. Every other row is a gap and holds zeros, and so does what is beyond a true length.
struct PaddedRows {
  std::int64_t sentences, positions;  // of the rows outside the buffer, which have no gaps
  std::int64_t pitch, before;
  std::int64_t rows;            // of the whole buffer
  const std::int64_t* lengths;  // true positions of each sentence; null: all
};

// Several matrices of sentences * positions rows as one, side by side. A null part is skipped.
template <typename T>
struct SideBySide {
  T* const* parts;
  const std::int64_t* widths;
  std::int64_t count;
  std::int64_t width;  // the sum of the widths
};
// buffer = Dropout(parts), zeros in the gaps.
template <typename T>
void gatherRows(const SideBySide<const T>& in, T* buffer, const PaddedRows& layout,
                const Mask& mask, int threads);
// parts = Dropout(buffer), zeros beyond the true lengths.
template <typename T>
void scatterRows(const T* buffer, const SideBySide<T>& out, const PaddedRows& layout,
                 const Mask& mask, int threads);

// Gated linear units: out = (a + bias_a) * sigmoid(b + bias_b), where a row of `product` holds a,
// then b, each of `width` values. product becomes [a + bias_a ; sigmoid(...)], which the gradient
// needs. product lies in a buffer, out has a row a position; the lengths do not matter.
template <typename T>
struct GluArguments {
  T* product;
  const T* bias;
  T* out;
  std::int64_t width;
  PaddedRows layout;
};
template <typename T>
void glu(const GluArguments<T>& arguments, int threads);

template <typename T>
struct GluGradients {
  const T* gradOut;
  const T* product;  // as glu leaves it
  T* productGrad;    // zeros in the gaps
  T* biasGrad;
  std::int64_t width;
  PaddedRows layout;
};
template <typename T>
void gluBackward(const GluGradients<T>& gradients, int threads);

// Attention of whole sentences. Row (b, t) of q begins at q + (b * queries + t) * qStride, its head
// h at + h * width; k, v and the output likewise. Strides count elements.
template <typename T>
struct AttentionArguments {
  const T *q, *k, *v;
  std::int64_t qStride, kvStride;
  T* out;                       // row stride heads * width
  T* weights;                   // [batch, heads, queries, keyStride], before dropout
  std::int64_t keyStride;       // columns of `weights`: keyStrideOf(keys)
  const std::int64_t* lengths;  // true keys of each sentence; null: all
  std::int64_t batch, queries, keys, heads, width;
  double scale;           // of the scores
  Mask mask;              // of the weights
  bool causal;            // query t reads keys 0..t
  bool queriesArePadded;  // queries beyond a sentence's length are left out (their output is 0)
  int threads;
};
template <typename T>
std::int64_t keyStrideOf(std::int64_t keys);
template <typename T>
void attention(const AttentionArguments<T>& arguments);

template <typename T>
struct AttentionGradients {
  const T* gradOut;  // row stride heads * width
  T *q, *k, *v;      // strides as the inputs'
};
template <typename T>
void attentionBackward(const AttentionArguments<T>& arguments,
                       const AttentionGradients<T>& gradients);

// The sum of attentions with the same queries, whose values are made of their keys K_j and of C,
// which they share: out = valueScale * sum_j W_j (K_j + C), W_j = softmax(scoreScale * q K_j^T)
// under dropout. q and out are [batch, queries, heads * width], K_j and C [batch, keys, heads *
// width].
template <typename T>
struct SummedArguments {
  const T* q;
  std::vector<const T*> keysOf;  // one a part, as `weights` and `masks`
  const T* shared;               // C
  T* out;
  std::vector<T*> weights;  // [batch, heads, queries, keyStride], before dropout
  std::vector<Mask> masks;
  std::int64_t keyStride;       // columns of `weights`: keyStrideOf(keys)
  const std::int64_t* lengths;  // true keys of each sentence; null: all
  std::int64_t batch, queries, keys, heads, width;
  double scoreScale, valueScale;
  int threads;
};
template <typename T>
void summedAttention(const SummedArguments<T>& arguments);

template <typename T>
struct SummedGradients {
  const T* gradOut;
  T* q;
  std::vector<T*> keysOf;
  T* shared;
  bool adds;  // keysOf and shared are added to, not written
};
template <typename T>
void summedAttentionBackward(const SummedArguments<T>& arguments,
                             const SummedGradients<T>& gradients);

// One query a row against keys that lie anywhere: key s of row r is the row rowOf[s * rows + r] of
// slices[s] (self-attention over an incremental search), or the position s of sentence rowOf[r]
// (attention over the source).
template <typename T>
struct StepArguments {
  const T* q;
  std::int64_t qStride;
  const T* const* slices;  // one a key position; rows sliceStride apart, keys at + keyOffset,
                           // values at + valueOffset
  std::int64_t sliceStride, keyOffset, valueOffset;
  const std::int32_t* rowOf;
  const std::int64_t* lengths;  // true keys of each sentence; null: `keys` for each row
  std::int64_t rows, keys, heads, width;
  double scale;           // of the scores
  bool oneRowForAllKeys;  // rowOf has one entry a row, not one a key and row
  T* out;                 // [rows, heads * width]
  T* weights;             // [rows, heads, keys] or null
  int threads;
};
template <typename T>
void stepAttention(const StepArguments<T>& arguments);

// Cross-entropy of rows of scores (logits without the output bias).
template <typename T>
struct CrossEntropyArguments {
  T* scores;      // becomes the gradient of the smoothed loss if wantGradient, else is spent
  const T* bias;  // may be null
  const std::int64_t* targets;
  double smoothing;
  bool wantGradient;
  T* biasGrad;         // sums over the rows are added to it; may be null
  double *nll, *loss;  // one a row
  bool* wrong;         // one a row: another word is likelier; may be null
};
template <typename T>
void crossEntropy(const CrossEntropyArguments<T>& arguments, const Extent& extent);

// scores + bias become log-probabilities, in place.
template <typename T>
void logSoftmax(T* scores, const T* bias, const Extent& extent);

// The `count` best of each row, best first, equal ones by column; columns marked in `excluded` (may
// be null) never. What a row lacks has column -1.
template <typename T>
void bestColumns(const T* values, const bool* excluded, int count, std::int32_t* columns,
                 const Extent& extent);

}  // namespace strata::kernels
