// The best words of every hypothesis.
#include <limits>
#include <vector>

#include "core/nn/kernels/simd.h"

namespace strata::kernels {
namespace {

struct Rows {
  std::int64_t begin, end;
};

// A list of the best columns so far, best first.
template <typename T>
struct Best {
  T* values;
  std::int32_t* columns;
  int count, held;

  STRATA_INLINE T threshold() const {
    return held < count ? -std::numeric_limits<T>::infinity() : values[count - 1];
  }
  STRATA_INLINE void insert(T value, std::int32_t column) {
    int place = held < count ? held++ : count - 1;
    for (; place > 0 && values[place - 1] < value; --place) {
      values[place] = values[place - 1];
      columns[place] = columns[place - 1];
    }
    values[place] = value;
    columns[place] = column;
  }
};

template <typename T>
STRATA_INLINE void bestRow(const T* row, const bool* excluded, std::int64_t columns,
                           Best<T>& best) {
  constexpr std::int64_t kBlock = 64;
  for (std::int64_t begin = 0; begin < columns; begin += kBlock) {
    const std::int64_t end = std::min(columns, begin + kBlock);
    T top = row[begin];
#pragma omp simd reduction(max : top)
    for (std::int64_t c = begin; c < end; ++c) top = row[c] > top ? row[c] : top;
    if (best.held == best.count && !(top > best.threshold())) continue;
    for (std::int64_t c = begin; c < end; ++c) {
      if (excluded != nullptr && excluded[c]) continue;
      if (best.held < best.count || row[c] > best.threshold())
        best.insert(row[c], static_cast<std::int32_t>(c));
    }
  }
}

template <typename T>
STRATA_INLINE void bestRows(const T* values, const bool* excluded, int count, std::int32_t* columns,
                            const Rows& rows, std::int64_t width, T* held) {
  for (std::int64_t r = rows.begin; r < rows.end; ++r) {
    Best<T> best{held, columns + r * count, count, 0};
    bestRow(values + r * width, excluded, width, best);
    for (int i = best.held; i < count; ++i) best.columns[i] = -1;
  }
}

#define STRATA_BEST(T)                                                                    \
  STRATA_CLONES void runBest(const T* values, const bool* excluded, int count,            \
                             std::int32_t* columns, const Rows& rows, std::int64_t width, \
                             T* held) {                                                   \
    bestRows(values, excluded, count, columns, rows, width, held);                        \
  }
STRATA_BEST(float)
STRATA_BEST(double)
#undef STRATA_BEST

}  // namespace

template <typename T>
void bestColumns(const T* values, const bool* excluded, int count, std::int32_t* columns,
                 const Extent& extent) {
  parallel(extent.rows, extent.threads, [&](std::int64_t begin, std::int64_t end, int) {
    std::vector<T> held(count);
    runBest(values, excluded, count, columns, {begin, end}, extent.columns, held.data());
  });
}

#define STRATA_INSTANTIATE(T) \
  template void bestColumns(const T*, const bool*, int, std::int32_t*, const Extent&);
STRATA_INSTANTIATE(float)
STRATA_INSTANTIATE(double)
#undef STRATA_INSTANTIATE

}  // namespace strata::kernels
