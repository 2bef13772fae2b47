// Copies rows of sentences into and out of a buffer with gaps, and computes the gated linear unit
// after a convolution.
#include "core/nn/kernels/convolution_parts.h"

namespace strata::kernels {
namespace {

// The sentence and position of a buffer row.
struct Place {
  std::int64_t sentence, position;
  bool inside;  // one of the sentence's positions, padded ones included
};
STRATA_INLINE Place placeOf(const PaddedRows& layout, std::int64_t row) {
  const std::int64_t at = row - layout.before;
  if (at < 0) return {0, 0, false};
  const std::int64_t sentence = at / layout.pitch, position = at - sentence * layout.pitch;
  return {sentence, position, sentence < layout.sentences && position < layout.positions};
}

STRATA_INLINE bool isPadded(const PaddedRows& layout, std::int64_t sentence,
                            std::int64_t position) {
  return layout.lengths != nullptr && position >= layout.lengths[sentence];
}

template <typename T>
STRATA_INLINE void gather(const SideBySide<const T>& in, T* buffer, const PaddedRows& layout,
                          const Mask& mask, const Range& range) {
  for (std::int64_t row = range.begin; row < range.end; ++row) {
    const Place place = placeOf(layout, row);
    T* out = buffer + row * in.width;
    if (!place.inside || isPadded(layout, place.sentence, place.position)) {
      std::fill_n(out, in.width, T(0));
      continue;
    }
    joinDropped(in, place.sentence * layout.positions + place.position, out, mask);
  }
}

template <typename T>
STRATA_INLINE void scatter(const T* buffer, const SideBySide<T>& out, const PaddedRows& layout,
                           const Mask& mask, const Range& range) {
  for (std::int64_t row = range.begin; row < range.end; ++row) {
    const std::int64_t sentence = row / layout.positions,
                       position = row - sentence * layout.positions;
    const T* in = buffer + (layout.before + sentence * layout.pitch + position) * out.width;
    splitDropped(isPadded(layout, sentence, position) ? nullptr : in, out, row, mask);
  }
}

template <typename T>
STRATA_INLINE void gluRows(const GluArguments<T>& a, const Range& range) {
  const std::int64_t width = a.width;
  for (std::int64_t row = range.begin; row < range.end; ++row) {
    const std::int64_t sentence = row / a.layout.positions,
                       position = row - sentence * a.layout.positions;
    T* product = a.product + (a.layout.before + sentence * a.layout.pitch + position) * 2 * width;
    gluRow(product, a.bias, a.out + row * width, width);
  }
}

template <typename T>
STRATA_INLINE void gluBackwardRows(const GluGradients<T>& a, const Range& range, T* sums) {
  const std::int64_t width = a.width;
  for (std::int64_t row = range.begin; row < range.end; ++row) {
    const Place place = placeOf(a.layout, row);
    T* gradient = a.productGrad + row * 2 * width;
    if (!place.inside) {
      std::fill_n(gradient, 2 * width, T(0));
      continue;
    }
    const T* g = a.gradOut + (place.sentence * a.layout.positions + place.position) * width;
    gluRowBackward(g, a.product + row * 2 * width, gradient, sums, width);
  }
}

// One set of clones per type: a template cannot be cloned itself.
#define STRATA_CONVOLUTION(T)                                                                      \
  STRATA_CLONES void runGather(const SideBySide<const T>& in, T* buffer, const PaddedRows& layout, \
                               const Mask& mask, const Range& range) {                             \
    gather<T>(in, buffer, layout, mask, range);                                                    \
  }                                                                                                \
  STRATA_CLONES void runScatter(const T* buffer, const SideBySide<T>& out,                         \
                                const PaddedRows& layout, const Mask& mask, const Range& range) {  \
    scatter<T>(buffer, out, layout, mask, range);                                                  \
  }                                                                                                \
  STRATA_CLONES void runGlu(const GluArguments<T>& a, const Range& range) {                        \
    gluRows(a, range);                                                                             \
  }                                                                                                \
  STRATA_CLONES void runGluBackward(const GluGradients<T>& a, const Range& range, T* sums) {       \
    gluBackwardRows(a, range, sums);                                                               \
  }
STRATA_CONVOLUTION(float)
STRATA_CONVOLUTION(double)
#undef STRATA_CONVOLUTION

}  // namespace

template <typename T>
void gatherRows(const SideBySide<const T>& in, T* buffer, const PaddedRows& layout,
                const Mask& mask, int threads) {
  parallel(layout.rows, threads, [&](std::int64_t begin, std::int64_t end, int) {
    runGather(in, buffer, layout, mask, {begin, end});
  });
}

template <typename T>
void scatterRows(const T* buffer, const SideBySide<T>& out, const PaddedRows& layout,
                 const Mask& mask, int threads) {
  parallel(layout.sentences * layout.positions, threads,
           [&](std::int64_t begin, std::int64_t end, int) {
             runScatter(buffer, out, layout, mask, {begin, end});
           });
}

template <typename T>
void glu(const GluArguments<T>& arguments, int threads) {
  parallel(arguments.layout.sentences * arguments.layout.positions, threads,
           [&](std::int64_t begin, std::int64_t end, int) {
             runGlu(arguments, {begin, end});
           });
}

template <typename T>
void gluBackward(const GluGradients<T>& gradients, int threads) {
  const std::int64_t columns = 2 * gradients.width;
  std::vector<T> partial(threads * columns);
  parallel(gradients.layout.rows, threads, [&](std::int64_t begin, std::int64_t end, int thread) {
    runGluBackward(gradients, {begin, end}, partial.data() + thread * columns);
  });
  addShares(partial, gradients.biasGrad, columns);
}

#define STRATA_INSTANTIATE(T)                                                                     \
  template void gatherRows(const SideBySide<const T>&, T*, const PaddedRows&, const Mask&, int);  \
  template void scatterRows(const T*, const SideBySide<T>&, const PaddedRows&, const Mask&, int); \
  template void glu(const GluArguments<T>&, int);                                                 \
  template void gluBackward(const GluGradients<T>&, int);
STRATA_INSTANTIATE(float)
STRATA_INSTANTIATE(double)
#undef STRATA_INSTANTIATE

}  // namespace strata::kernels
