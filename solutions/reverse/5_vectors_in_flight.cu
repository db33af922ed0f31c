// Several vectors in flight: a warp takes 4 vectors per lane and end before it stores any of them.
//
// The chunk of a warp is 512 elements at each end, and only its last lane's last vector wraps. A
// lane's neighbour in vector k of lane 31 is vector k + 1 of lane 0, so lane 0 sends that one.
//
// Prediction: 128 bytes in flight per thread. The rung before has 32, 64 KB per SM with 2048
// threads, where 11 KB are enough at 2149 GB/s of reads and 700 ns: no gain at 2^26. Scalar
// accesses at the wrap fall from 4 in 128 elements to 4 in 512, and so do the sectors that two
// warps share. At 2^20 one wave of 128 blocks: 1 us less, perhaps.
// Measured: 131.3 us at 67108864, 97 % of the limit (H200, 2026-11-23)
#include <kata/kata.h>

#include "../common/load4.h"

constexpr int THREADS = 256;
constexpr int VECTORS = 4;            // per lane and end
constexpr int CHUNK = 128 * VECTORS;  // elements that a warp takes at each end
constexpr unsigned ALL_LANES = 0xffffffffu;

// The vectors of one end in their new order. The first R elements of a vector come from the
// neighbour: STEP = 1 is the next vector of the chunk, STEP = -1 the one before.
template <int R, int STEP>
__device__ void mirror(const Vec4 (&old)[VECTORS], int lane, Vec4 (&result)[VECTORS]) {
  const int neighbour = (lane + 32 + STEP) % 32;
  const bool sends_across = STEP > 0 ? lane == 0 : lane == 31;
#pragma unroll
  for (int v = 0; v < VECTORS; ++v) {
    const Vec4& across = old[(v + VECTORS + STEP) % VECTORS];
#pragma unroll
    for (int k = 0; k < R; ++k) {
      const float sent = sends_across ? across.at[R - 1 - k] : old[v].at[R - 1 - k];
      result[v].at[k] = __shfl_sync(ALL_LANES, sent, neighbour);
    }
#pragma unroll
    for (int k = R; k < 4; ++k) result[v].at[k] = old[v].at[R + 3 - k];
  }
}

// The vector whose first R elements lie one chunk further on.
template <int R>
__device__ Vec4 load_wrapped(const float* at) {
  Vec4 v;
#pragma unroll
  for (int k = 0; k < 4; ++k) v.at[k] = at[k < R ? k + CHUNK : k];
  return v;
}

template <int R>
__device__ void store_wrapped(float* at, const Vec4& v) {
#pragma unroll
  for (int k = 0; k < 4; ++k) at[k < R ? k + CHUNK : k] = v.at[k];
}

__device__ void swap_middle(float* x, int begin, int n) {
  for (int i = begin + threadIdx.x; i < n / 2; i += THREADS) {
    const float front = x[i];
    x[i] = x[n - 1 - i];
    x[n - 1 - i] = front;
  }
}

// R is n % 4. Block 0 swaps what the warps' chunks leave in the middle.
template <int R>
__global__ void reverse_kernel(float* x, int n, int chunks) {
  if (blockIdx.x == 0) return swap_middle(x, chunks * CHUNK, n);
  const int lane = threadIdx.x % 32;
  const int chunk = (blockIdx.x - 1) * (THREADS / 32) + threadIdx.x / 32;
  if (chunk >= chunks) return;  // a whole warp

  float* front_at = x + chunk * CHUNK + 4 * lane;
  float* back_at = x + (n - R - chunk * CHUNK - 4 * (lane + 1));
  const bool last_wraps = R > 0 && lane == 31;

  Vec4 front[VECTORS], back[VECTORS];
#pragma unroll
  for (int v = 0; v < VECTORS; ++v) {
    const bool wraps = last_wraps && v == VECTORS - 1;
    front[v] = load4(front_at + 128 * v);
    back[v] = wraps ? load_wrapped<R>(back_at - 128 * v) : load4(back_at - 128 * v);
  }

  Vec4 new_front[VECTORS], new_back[VECTORS];
  mirror<R, -1>(back, lane, new_front);
  mirror<R, 1>(front, lane, new_back);
#pragma unroll
  for (int v = 0; v < VECTORS; ++v) {
    store4(front_at + 128 * v, new_front[v]);
    if (last_wraps && v == VECTORS - 1) {
      store_wrapped<R>(back_at - 128 * v, new_back[v]);
    } else {
      store4(back_at - 128 * v, new_back[v]);
    }
  }
}

template <int R>
void launch(float* x, int n) {
  const int chunks = n / 2 / CHUNK;
  const int grid = 1 + kata::ceil_div(chunks, THREADS / 32);
  reverse_kernel<R><<<grid, THREADS>>>(x, n, chunks);
}

extern "C" void reverse(float* x, int n) {
  switch (n % 4) {
    case 0:
      return launch<0>(x, n);
    case 1:
      return launch<1>(x, n);
    case 2:
      return launch<2>(x, n);
    default:
      return launch<3>(x, n);
  }
}
