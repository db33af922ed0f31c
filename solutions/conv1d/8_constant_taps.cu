// Taps as operands of the FMAs: from constant memory, with 28 outputs per thread.
//
// All lanes use the same tap, so the compiler keeps it in a uniform register, and an FMA reads only
// two of a thread's registers. One that reads three takes 1.5 to 2 clocks, if no reuse cache holds
// them: 167 of 512 in rung 7's loop. Bulk copies bring inputs and store results, two tiles per
// block. 28 / 4 is odd, so eight threads read from all 32 banks without padding. Copying the taps
// takes 2.5 us, and few large tiles fill the chip unevenly: fewer outputs take rung 5's kernel.
//
// Prediction: 1.07 instructions per FMA instead of 1.13, and no third register: 80 us at n = 2^24,
// k = 129. At k = 2047 the taps exceed the constant cache of 2 KiB: 1120 to 1250 us.
// Measured: 86.2 us at 16777216x129, 76 % of the limit (H100 80GB HBM3, 2026-11-25)
#include <kata/kata.h>

#include "../common/hopper.h"
#include "../common/resident_blocks.h"
#include "bulk_store.h"
#include "guarded4.h"
#include "wide_tile.h"

constexpr int THREADS = 128;
constexpr int R = 28;          // outputs per thread
constexpr int V = R / 4;       // the same in vectors
constexpr int WINDOW = V + 1;  // vectors of inputs in registers, and of taps per turn of the loop
constexpr int TILE = THREADS * R;
constexpr int MAX_TAPS = 2048;
// On an H100, k = 129, rung 5's kernel took 11 % less for 2^21 outputs and 5 % less for 2^22.
constexpr int FEWEST_OUTPUTS = 1 << 23;

__constant__ float4 const_taps[MAX_TAPS / 4];

// The window is a ring: vector v of the inputs of a turn is in place v % WINDOW.
__device__ __forceinline__ void load_vector(float (&window)[4 * WINDOW], const float4* in, int v) {
  float* const to = window + v % WINDOW * 4;
  to[0] = in[v].x, to[1] = in[v].y, to[2] = in[v].z, to[3] = in[v].w;
}

// Adds `count` taps of a turn, from tap 4 s on, at most four. It is the same in all threads.
__device__ __forceinline__ void add_taps(float (&acc)[R], const float (&window)[4 * WINDOW], int s,
                                         float4 taps, int count) {
  const float w[] = {taps.x, taps.y, taps.z, taps.w};
#pragma unroll
  for (int t = 0; t < 4; ++t) {
    if (t >= count) break;
#pragma unroll
    for (int r = 0; r < R; ++r) acc[r] += window[(4 * s + t + r) % (4 * WINDOW)] * w[t];
  }
}

// acc[r] = the sum over t < k of input r + t, from `in` on, times tap t.
__device__ __forceinline__ void convolve(float (&acc)[R], const float4* in, int k) {
  float window[4 * WINDOW];
#pragma unroll
  for (int v = 0; v < V; ++v) load_vector(window, in, v);
  const float4* taps = const_taps;
  for (; k >= 4 * WINDOW; k -= 4 * WINDOW, in += WINDOW, taps += WINDOW) {
#pragma unroll
    for (int s = 0; s < WINDOW; ++s) {
      load_vector(window, in, s + V);
      add_taps(acc, window, s, taps[s], 4);
    }
  }
#pragma unroll
  for (int s = 0; s < WINDOW; ++s, k -= 4) {
    if (k <= 0) break;
    load_vector(window, in, s + V);
    add_taps(acc, window, s, taps[s], k);
  }
}

__global__ void __launch_bounds__(THREADS, 7)
    conv1d_kernel(const float* x, float* y, int n, int k, int vectors) {
  extern __shared__ __align__(128) float4 buffers[];  // two tiles of `vectors`
  __shared__ Barrier full[2];
  const int tid = threadIdx.x;
  const size_t outputs = n - k + 1, stride = static_cast<size_t>(gridDim.x) * TILE;
  const auto is_whole = [&](size_t first) { return first + 4 * vectors <= static_cast<size_t>(n); };
  const auto start_copy = [&](size_t first, int slot) {
    if (tid != 0) return;
    wait_stores_read<0>();  // the buffer's old results have left
    if (!is_whole(first)) return;
    arrive_expecting(&full[slot], 16 * vectors);
    load_bytes(buffers + slot * vectors, x + first, 16 * vectors, &full[slot]);
  };
  if (tid < 2) init(&full[tid], 1), fence_init();
  __syncthreads();

  size_t first = static_cast<size_t>(blockIdx.x) * TILE;
  start_copy(first, 0);
  for (int step = 0; first < outputs; first += stride, ++step) {
    start_copy(first + stride, (step + 1) % 2);
    float4* const tile = buffers + step % 2 * vectors;
    if (is_whole(first)) {
      wait(&full[step % 2], step / 2 % 2);
    } else {
      for (int i = tid; i < vectors; i += THREADS) tile[i] = load4(x, first + 4 * i, n);
      __syncthreads();
    }
    float acc[R] = {};
    convolve(acc, tile + tid * V, k);

    __syncthreads();  // all threads are done with the inputs
#pragma unroll
    for (int r = 0; r < R; r += 4)
      tile[tid * V + r / 4] = make_float4(acc[r], acc[r + 1], acc[r + 2], acc[r + 3]);
    fence_async();  // the accesses above, before the copies from and to the buffer by another path
    __syncthreads();
    store_tile<THREADS, TILE>(y, first, outputs, tile);
  }
  if (tid == 0) wait_stores_read<0>();
}

extern "C" void conv1d(const float* x, const float* w, float* y, int n, int k) {
  const int outputs = n - k + 1;
  if (outputs < FEWEST_OUTPUTS || k > MAX_TAPS) return wide_tile::launch(x, w, y, n, k);
  cudaMemcpyToSymbolAsync(const_taps, w, k * sizeof(float), 0, cudaMemcpyDeviceToDevice, 0);
  const int vectors = (TILE + k + 3) / 4;
  const int bytes = 2 * vectors * sizeof(float4);
  const int most = resident_blocks(conv1d_kernel, THREADS, bytes);
  conv1d_kernel<<<min(most, kata::ceil_div(outputs, TILE)), THREADS, bytes>>>(x, y, n, k, vectors);
}
