#pragma once
// Rung 8's kernels: parts of the taps, and the sum of the parts.

#include "../common/resident_blocks.h"
#include "../common/scratch.h"
#include "shaped_tile.h"

constexpr int LEAST_TILES = 4;  // of taps in a part
constexpr int SUM_THREADS = 256, IN_FLIGHT = 16;

// Block z adds up `per_part` tiles of taps. With more than one block per tile of outputs it leaves
// them in part z of `parts`, each laid out as y, without the bias.
template <class Shape, class Order>
__global__ void __launch_bounds__(Shape::THREADS)
    part_kernel(const float* x, const float* weight, const float* bias, float* y, float* parts,
                ConvShape s, int per_part) {
  const int first = blockIdx.z * per_part;
  float sum[Shape::TM][Shape::TN] = {};
  add_products<Shape, Order>(sum, x, weight, s, first, min(first + per_part, Order::tiles(s)));
  const bool is_whole = gridDim.z == 1;
  const size_t outputs = static_cast<size_t>(s.pixels()) * s.out_channels;
  store_outputs<Shape>(is_whole ? y : parts + blockIdx.z * outputs, is_whole ? bias : nullptr, sum,
                       s);
}

// A thread per output. The loads of IN_FLIGHT parts do not wait for each other.
__global__ void __launch_bounds__(SUM_THREADS)
    sum_kernel(const float* parts, const float* bias, float* y, ConvShape s, int count) {
  const size_t outputs = static_cast<size_t>(s.pixels()) * s.out_channels;
  const size_t i = blockIdx.x * static_cast<size_t>(SUM_THREADS) + threadIdx.x;
  if (i >= outputs) return;
  float sum = bias[i / s.plane() % s.out_channels];
  for (int first = 0; first < count; first += IN_FLIGHT) {
    float value[IN_FLIGHT];
#pragma unroll
    for (int p = 0; p < IN_FLIGHT; ++p) {
      value[p] = first + p < count ? parts[(first + p) * outputs + i] : 0.0f;
    }
#pragma unroll
    for (int p = 0; p < IN_FLIGHT; ++p) sum += value[p];
  }
  y[i] = sum;
}

template <class Shape, class Order>
int places() {
  static const int count = resident_blocks(part_kernel<Shape, Order>, Shape::THREADS, 0);
  return count;
}

// Splits the taps into up to `most` parts.
template <class Shape, class Order>
void launch_parts(const float* x, const float* weight, const float* bias, float* y,
                  const ConvShape& s, int most) {
  static Scratch<float> scratch;
  const int tiles = Order::tiles(s);
  const int per_part = kata::ceil_div(tiles, most);
  const int count = kata::ceil_div(tiles, per_part);
  const size_t outputs = static_cast<size_t>(s.pixels()) * s.out_channels;
  float* parts = count > 1 ? scratch.get(count * outputs) : nullptr;
  part_kernel<Shape, Order>
      <<<Shape::grid(s, count), Shape::THREADS>>>(x, weight, bias, y, parts, s, per_part);
  if (count == 1) return;
  sum_kernel<<<static_cast<unsigned>((outputs - 1) / SUM_THREADS + 1), SUM_THREADS>>>(parts, bias,
                                                                                      y, s, count);
}

// As many parts as fill the device once.
template <class Shape, class Order>
void launch_filling(const float* x, const float* weight, const float* bias, float* y,
                    const ConvShape& s) {
  const dim3 whole = Shape::grid(s);
  const int most = min(places<Shape, Order>() / static_cast<int>(whole.x * whole.y),
                       Order::tiles(s) / LEAST_TILES);
  launch_parts<Shape, Order>(x, weight, bias, y, s, max(1, most));
}
