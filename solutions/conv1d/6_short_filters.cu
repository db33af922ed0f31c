// Short filters without shared memory: four outputs per thread, inputs straight from L1.
//
// Up to 17 taps, a thread needs at most five float4 of x. Its neighbours load four of them as well,
// and L1 serves those. There is no tile to fill and no barrier. The number of vectors is a template
// parameter: 1, 2 to 5, 6 to 9, 10 to 13 and 14 to 17 taps, with zeros for missing taps. Longer
// filters take rung 5.
//
// Prediction: 8 bytes per output and nothing else to wait for: 95 % of the limit, 34 us at n =
// 2^24, k = 5. No change for k > 17.
// Measured: 34.0 us at 16777216x5, 97 % of the limit (H200, 2026-11-23)
#include <kata/kata.h>

#include "../common/sliding_window.h"
#include "guarded4.h"

constexpr int THREADS_SHORT = 256;
constexpr int UNROLL = 2;  // vectors of outputs per thread
constexpr int THREADS = 128;
constexpr int R = 16;  // outputs per thread, and taps per step
constexpr int TILE = THREADS * R;

template <int VECTORS>
__global__ void __launch_bounds__(THREADS_SHORT)
    short_kernel(const float* x, const float* w, float* y, int n, int outputs, int k) {
  constexpr int TAPS = 4 * VECTORS - 3;
  float taps[TAPS];
#pragma unroll
  for (int t = 0; t < TAPS; ++t) taps[t] = t < k ? w[t] : 0.0f;

  const size_t block_first = static_cast<size_t>(blockIdx.x) * THREADS_SHORT * UNROLL;
#pragma unroll
  for (int u = 0; u < UNROLL; ++u) {
    const size_t i = 4 * (block_first + u * THREADS_SHORT + threadIdx.x);
    float in[4 * VECTORS];
#pragma unroll
    for (int v = 0; v < VECTORS; ++v) {
      const float4 vector = load4(x, i + 4 * v, n);
      in[4 * v] = vector.x;
      in[4 * v + 1] = vector.y;
      in[4 * v + 2] = vector.z;
      in[4 * v + 3] = vector.w;
    }
    float acc[4] = {};
    apply<TAPS>(acc, in, taps);
    store4(y, i, outputs, make_float4(acc[0], acc[1], acc[2], acc[3]));
  }
}

template <int VECTORS>
void launch_short(const float* x, const float* w, float* y, int n, int k) {
  const int outputs = n - k + 1;
  const int grid = kata::ceil_div(outputs, 4 * THREADS_SHORT * UNROLL);
  short_kernel<VECTORS><<<grid, THREADS_SHORT>>>(x, w, y, n, outputs, k);
}

// Taps rounded up to whole steps.
__host__ __device__ constexpr int whole_steps(int k) {
  return (k + R - 1) / R * R;
}

__global__ void __launch_bounds__(THREADS)
    tile_kernel(const float* x, const float* w, float* y, int n, int k) {
  extern __shared__ float4 taps[];  // [whole_steps(k) / 4], then the tile
  const int tid = threadIdx.x;
  const int outputs = n - k + 1;
  const int vectors = (TILE + whole_steps(k)) / 4;
  float4* tile = taps + whole_steps(k) / 4;
  const size_t first = static_cast<size_t>(blockIdx.x) * TILE;
  for (int i = tid; i < whole_steps(k) / 4; i += THREADS) taps[i] = load4(w, 4 * i, k);
  for (int i = tid; i < vectors; i += THREADS) tile[padded(i)] = load4(x, first + 4 * i, n);
  __syncthreads();

  float acc[R] = {};
  add_taps(acc, tile + padded(tid * R / 4), taps, k);

  __syncthreads();  // all threads are done with the inputs
#pragma unroll
  for (int v = 0; v < R / 4; ++v) {
    const float* sums = acc + 4 * v;
    tile[padded(tid * R / 4 + v)] = make_float4(sums[0], sums[1], sums[2], sums[3]);
  }
  __syncthreads();
  for (int i = tid; i < TILE / 4; i += THREADS) store4(y, first + 4 * i, outputs, tile[padded(i)]);
}

extern "C" void conv1d(const float* x, const float* w, float* y, int n, int k) {
  if (k == 1) return launch_short<1>(x, w, y, n, k);
  if (k <= 5) return launch_short<2>(x, w, y, n, k);
  if (k <= 9) return launch_short<3>(x, w, y, n, k);
  if (k <= 13) return launch_short<4>(x, w, y, n, k);
  if (k <= 17) return launch_short<5>(x, w, y, n, k);
  const int vectors = (TILE + whole_steps(k)) / 4;
  const size_t bytes = (whole_steps(k) / 4 + padded(vectors)) * sizeof(float4);
  tile_kernel<<<kata::ceil_div(n - k + 1, TILE), THREADS, bytes>>>(x, w, y, n, k);
}
