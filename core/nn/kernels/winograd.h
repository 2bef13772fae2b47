// Convolutions with three taps by Winograd's minimal filtering F(m, 3): m neighbouring outputs, a
// tile, cost m + 2 products instead of 3 m. Sums of the tile's m + 2 inputs and sums of the taps
// are multiplied, and the outputs are sums of the products (Lavin and Gray 2016, Fast Algorithms
// for Convolutional Neural Networks, sections 4.1 and 4.3):
//   y = A^T [(G g) * (B^T d)]
// The products of all tiles are matrix products, one for each of the m + 2 factors; here is what
// comes before and after them. In the gradients A, B and G are transposed.
//   F = m + 2 factors, N tiles of all sentences, I inputs, O outputs
#pragma once
#include "core/nn/kernels/kernels.h"

namespace strata::kernels {

constexpr std::int64_t kWinogradTaps = 3;

// Sentences cut into tiles; the last one may have fewer positions.
struct Tiles {
  std::int64_t size = 2;  // m: 2 or 4
  std::int64_t sentences = 0, positions = 0;
  std::int64_t left = 0;  // taps that read earlier positions
  // True positions of each sentence, what follows is zero; null: all.
  const std::int64_t* lengths = nullptr;

  std::int64_t factors() const { return size + kWinogradTaps - 1; }
  std::int64_t ofEach() const { return (positions + size - 1) / size; }
  std::int64_t count() const { return sentences * ofEach(); }
};

// factors [F, N, I] of Dropout(parts).
template <typename T>
void tileInputs(const SideBySide<const T>& parts, T* factors, const Tiles& tiles, const Mask& mask,
                int threads);
// parts = Dropout(gradient), of which that of the factors [F, N, I] is given.
template <typename T>
void untileInputs(const T* factorsGrad, const SideBySide<T>& parts, const Tiles& tiles,
                  const Mask& mask, int threads);

// Taps [3, O, I]; the inputs of an output are next to each other.
template <typename T>
struct Taps {
  T* values;
  std::int64_t tapStride, outputStride;
  Extent extent;  // O, I
};
// factors [F, O, I]
template <typename T>
void combineTaps(const Taps<const T>& taps, T* factors, std::int64_t tileSize);
// The gradient of the taps from that of their factors.
template <typename T>
void separateTaps(const T* factorsGrad, const Taps<T>& taps, std::int64_t tileSize);

// GLU(y + bias) of the outputs y, O = 2 width, whose products are given.
template <typename T>
struct TiledGlu {
  const T* products;  // [F, N, O]
  const T* bias;      // [O]
  T* gates;           // [positions, O]: a + bias_a, then sigmoid(b + bias_b)
  T* out;             // [positions, width]
  std::int64_t width;
  Tiles tiles;
};
template <typename T>
void gluOfTiles(const TiledGlu<T>& arguments, int threads);

template <typename T>
struct TiledGluGradients {
  const T* gradOut;
  const T* gates;   // as left by gluOfTiles
  T* productsGrad;  // [F, N, O]
  T* biasGrad;      // [O]
  std::int64_t width;
  Tiles tiles;
};
template <typename T>
void gluOfTilesBackward(const TiledGluGradients<T>& gradients, int threads);

}  // namespace strata::kernels
