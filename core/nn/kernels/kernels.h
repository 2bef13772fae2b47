// Passes over plain arrays for the CPU, without torch: rows are contiguous unless a stride is
// given, all outputs belong to the caller. T is float or double. Each splits its rows over
// `threads` threads; sums over rows are added in the order of the threads, so that a result depends
// only on their number.
#pragma once
#include <cstdint>
#include <vector>

namespace strata::kernels {

// Which elements dropout zeroes: element (row, column) of key if its 32-bit hash is below the
// threshold.
struct Mask {
  std::uint64_t key = 0;
  std::uint32_t threshold = 0;            // 0: nothing is zeroed
  double scale = 1;                       // factor of the elements that are kept
  const std::int64_t* numbers = nullptr;  // of the rows; null: first, first + 1, ...
  std::int64_t first = 0;
};
// That of the rows from `row` on.
inline Mask maskFrom(Mask mask, std::int64_t row) {
  if (mask.numbers != nullptr) mask.numbers += row;
  mask.first += row;
  return mask;
}
Mask maskOf(double rate, std::uint64_t key);

struct Extent {
  std::int64_t rows = 0, columns = 0;
  int threads = 1;
};

// out = Dropout(in); both may be the same array.
template <typename T>
void dropout(const T* in, T* out, const Mask& mask, const Extent& extent);

// out = (a + b) * factor
template <typename T>
void scaledSum(const T* a, const T* b, T factor, T* out, const Extent& extent);

// inOut = Dropout(ReLU(inOut + bias)); bias may be null.
template <typename T>
void reluDropout(T* inOut, const T* bias, const Mask& mask, const Extent& extent);
// The gradient is multiplied by `scale` where the output is positive and by 0 elsewhere. Its sums
// over the rows are added to those of the calling thread, sums [threads, columns]; null: none.
template <typename T>
void reluDropoutBackward(T* gradient, const T* output, T* sums, double scale, const Extent& extent);

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
  T* inverseDeviation;  // one per row
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
  T* product;  // gradient before dropout; the same array as residual if there is no dropout
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

// Layout of sentences in a buffer: position t of sentence b is row before + b * pitch + t. Every
// other row is a gap and holds zeros, as do positions beyond a true length.
struct PaddedRows {
  std::int64_t sentences, positions;  // of the rows outside the buffer, which have no gaps
  std::int64_t pitch, before;
  std::int64_t rows;            // of the full buffer
  const std::int64_t* lengths;  // true positions of each sentence; null: all
};

// Several matrices of sentences * positions rows as one, concatenated. A null part is skipped.
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
// needs. product is in a buffer, out has one row per position; the lengths do not matter.
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
  const T* product;  // as left by glu
  T* productGrad;    // zeros in the gaps
  T* biasGrad;
  std::int64_t width;
  PaddedRows layout;
};
template <typename T>
void gluBackward(const GluGradients<T>& gradients, int threads);

// Where the rows of sentences are: sentence b's first is row starts[b] (null: b * positions), and
// it has lengths[b] of them (null: all positions). Without starts, the rows in between are padding.
struct SentenceRows {
  std::int64_t positions;
  const std::int64_t *starts, *lengths;
};

// Attention of whole sentences. Row r of q begins at q + r * qStride, its head h at + h * width; k,
// v and the output likewise. Strides count elements.
template <typename T>
struct AttentionArguments {
  const T *q, *k, *v;
  std::int64_t qStride, kvStride;
  T* out;                      // row stride heads * width
  T* weights;                  // [batch, heads, queries, keyStride], before dropout
  std::int64_t keyStride;      // columns of `weights`: keyStrideOf(keys.positions)
  SentenceRows queries, keys;  // padding has zeros as output
  std::int64_t batch, heads, width;
  double scale;  // of the scores
  Mask mask;     // of the weights
  bool causal;   // query t reads keys 0..t
  int threads;
};
template <typename T>
std::int64_t keyStrideOf(std::int64_t keys);
template <typename T>
void attention(const AttentionArguments<T>& arguments);

template <typename T>
struct AttentionGradients {
  const T* gradOut;  // row stride heads * width
  T *q, *k, *v;      // strides as in the inputs
};
template <typename T>
void attentionBackward(const AttentionArguments<T>& arguments,
                       const AttentionGradients<T>& gradients);

// The sum of attentions with the same queries, whose values derive from their keys K_j and from the
// shared C: out = valueScale * sum_j W_j (K_j + C), W_j = softmax(scoreScale * q K_j^T) after
// dropout. q and out are [batch, queries, heads * width], K_j and C [batch, keys, heads * width].
template <typename T>
struct SummedArguments {
  const T* q;
  std::vector<const T*> keysOf;  // one per part, like `weights` and `masks`
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

// One query per row against keys at arbitrary places: key s of row r is row rowOf[s * rows + r] of
// slices[s] (self-attention in incremental search), or position s of sentence rowOf[r] (attention
// over the source).
template <typename T>
struct StepArguments {
  const T* q;
  std::int64_t qStride;
  const T* const* slices;  // one per key position; rows sliceStride apart, keys at + keyOffset,
                           // values at + valueOffset
  std::int64_t sliceStride, keyOffset, valueOffset;
  const std::int32_t* rowOf;
  const std::int64_t* lengths;  // true keys of each sentence; null: `keys` for each row
  const std::int64_t* begins;   // the first key of each row; null: 0
  std::int64_t rows, keys, heads, width;
  double scale;                // of the scores
  bool oneRowForAllKeys;       // rowOf has one entry per row, not one per key and row
  const std::int64_t* starts;  // the row of each sentence's first key; null: its number
  T* out;                      // [rows, heads * width]
  T* weights;                  // [rows, heads, keys] or null
  int threads;
};
template <typename T>
void stepAttention(const StepArguments<T>& arguments);

// Cross-entropy of rows of scores (logits without the output bias).
template <typename T>
struct CrossEntropyArguments {
  T* scores;      // becomes the gradient of the smoothed loss if wantGradient, else is overwritten
  const T* bias;  // may be null
  const std::int64_t* targets;
  double smoothing;
  bool wantGradient;
  T* biasGrad;         // sums over the rows are added to it; may be null
  double *nll, *loss;  // one per row
  bool* wrong;         // one per row: another word is more likely; may be null
};
template <typename T>
void crossEntropy(const CrossEntropyArguments<T>& arguments, const Extent& extent);

// scores + bias become log-probabilities, in place.
template <typename T>
void logSoftmax(T* scores, const T* bias, const Extent& extent);

// sums[i] = the sum of the squares of stretch i's values.
template <typename T>
struct Stretch {
  const T* values;
  std::int64_t count;
};
template <typename T>
void sumsOfSquares(const std::vector<Stretch<T>>& stretches, double* sums, int threads);

// One update of some parameters by Nesterov's accelerated gradient (models.md 5.1) in one pass.
template <typename T>
struct NesterovArguments {
  T* values;
  T* velocities;
  const T* gradients;
  std::int64_t count;
  double momentum, rate;
  double scale;  // factor of the gradients
  double kept;   // factor of the values before
  double decay;  // times the values, is added to the scaled gradients
};
template <typename T>
void nesterov(const NesterovArguments<T>& arguments, int threads);

// w = gain v / |v| of every unit's v [inputs, taps], stored tap by tap: [units, taps, inputs].
template <typename T>
struct WeightNormArguments {
  const T* v;
  const T* gain;  // one per unit
  T* weight;
  T* inverseNorm;  // 1 / |v|, one per unit
  std::int64_t units, inputs, taps;
};
template <typename T>
void weightNorm(const WeightNormArguments<T>& arguments, int threads);
template <typename T>
struct WeightNormGradients {
  const T* weight;  // at unit * unitStride + tap * tapStride + input
  std::int64_t unitStride, tapStride;
  T *v, *gain;
};
// Reads all of the arguments but `weight`.
template <typename T>
void weightNormBackward(const WeightNormArguments<T>& arguments,
                        const WeightNormGradients<T>& gradients, int threads);

// The `count` best columns of each row, best first, ties by column; columns marked in `excluded`
// (may be null) are never taken. Missing entries have column -1.
template <typename T>
void bestColumns(const T* values, const bool* excluded, int count, std::int32_t* columns,
                 const Extent& extent);

}  // namespace strata::kernels
