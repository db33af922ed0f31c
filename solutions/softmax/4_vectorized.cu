// Four 16-byte loads in flight in each thread, on a grid of exactly one wave.
//
// A load takes some 700 ns to come back from memory; what an SM has asked for meanwhile is its
// bandwidth. 4.3 TB/s over 132 SMs for 700 ns is 23 KB an SM: 2048 threads with one 4-byte load
// each have 8 KB in flight, 1024 threads with four 16-byte loads 64 KB. All four are asked for
// before anything is stored: the compiler may not move a load above a store that could be to its
// address. One maximum for 16 elements: 17 exponentials for 16 elements, and no branch.
// __expf is 2 instructions where expf is about 8: at 1.07 T elements/s an SM has some 30
// instructions for an element, and two exponentials by expf would take half of them.
//
// Prediction: the same 12 bytes an element as before; 49 us at 2^24, now limited by memory and not
// by latency. Some of the second read may come from L2 (60 MiB), see the next rung.
// Measured: 61.4 us at 16777216, 60 % of the limit (H200, 2026-11-22)
#include <kata/kata.h>

#include <float.h>
#include <math.h>
#include <stdint.h>

constexpr int THREADS = 256;
constexpr int WARPS = THREADS / 32;
constexpr int BLOCKS_PER_SM = 4;  // 64 registers a thread
constexpr int MAX_BLOCKS = 2048;
constexpr int UNROLL = 4;
constexpr unsigned ALL_LANES = 0xffffffffu;

struct Partial {
  float max;
  float sum;  // of exp(x - max)
};

// The pair of no numbers. Not -infinity: merging two of those would take exp(-inf + inf), a NaN.
__device__ Partial nothing() {
  return {-FLT_MAX, 0.0f};
}

__device__ Partial partials[MAX_BLOCKS];  // one of each block

__device__ Partial merge(Partial a, Partial b) {
  const float max = fmaxf(a.max, b.max);
  return {max, a.sum * __expf(a.max - max) + b.sum * __expf(b.max - max)};
}

__device__ Partial warp_merge(Partial mine) {
  for (int offset = 16; offset > 0; offset /= 2) {
    const Partial other = {__shfl_xor_sync(ALL_LANES, mine.max, offset),
                           __shfl_xor_sync(ALL_LANES, mine.sum, offset)};
    mine = merge(mine, other);
  }
  return mine;
}

// Every thread of the block calls this, once in a kernel, and every thread gets the result.
__device__ Partial block_merge(Partial mine) {
  __shared__ Partial slots[WARPS];
  const int lane = threadIdx.x % 32;
  const int warp = threadIdx.x / 32;
  mine = warp_merge(mine);
  if (lane == 0) slots[warp] = mine;
  __syncthreads();
  return warp_merge(lane < WARPS ? slots[lane] : nothing());
}

__device__ float max_of(float4 v) {
  return fmaxf(fmaxf(v.x, v.y), fmaxf(v.z, v.w));
}

__device__ float sum_of_exp(float4 v, float max) {
  return (__expf(v.x - max) + __expf(v.y - max)) + (__expf(v.z - max) + __expf(v.w - max));
}

__device__ float4 quotients(float4 v, float max, float scale) {
  return make_float4(__expf(v.x - max) * scale, __expf(v.y - max) * scale,
                     __expf(v.z - max) * scale, __expf(v.w - max) * scale);
}

// The float4 at i, or what adds nothing behind the end.
__device__ float4 load(const float4* x4, int i, int count4) {
  return i < count4 ? x4[i] : make_float4(-INFINITY, -INFINITY, -INFINITY, -INFINITY);
}

// count4 is the number of float4; the elements behind them (the tail, or all of them where a
// pointer is not aligned to 16 bytes) go one by one.
__global__ void __launch_bounds__(THREADS, BLOCKS_PER_SM)
    partial_kernel(const float* x, int n, int count4) {
  const int tid = threadIdx.x;
  const float4* x4 = reinterpret_cast<const float4*>(x);
  Partial mine = nothing();

  const int stride4 = gridDim.x * THREADS * UNROLL;
  for (int first = blockIdx.x * THREADS * UNROLL + tid; first < count4; first += stride4) {
    float4 values[UNROLL];
    float max = mine.max;
#pragma unroll
    for (int u = 0; u < UNROLL; ++u) values[u] = load(x4, first + u * THREADS, count4);
#pragma unroll
    for (int u = 0; u < UNROLL; ++u) max = fmaxf(max, max_of(values[u]));
    mine.sum *= __expf(mine.max - max);
    mine.max = max;
#pragma unroll
    for (int u = 0; u < UNROLL; ++u) mine.sum += sum_of_exp(values[u], max);
  }

  const int stride = gridDim.x * THREADS;
  for (int i = 4 * count4 + blockIdx.x * THREADS + tid; i < n; i += stride) {
    mine = merge(mine, {x[i], 1.0f});
  }
  mine = block_merge(mine);
  if (tid == 0) partials[blockIdx.x] = mine;
}

__global__ void __launch_bounds__(THREADS, BLOCKS_PER_SM)
    quotient_kernel(const float* x, float* y, int n, int count4) {
  const int tid = threadIdx.x;
  const float4* x4 = reinterpret_cast<const float4*>(x);
  float4* y4 = reinterpret_cast<float4*>(y);

  const int blocks = gridDim.x;
  Partial mine = nothing();
  for (int i = tid; i < blocks; i += THREADS) mine = merge(mine, partials[i]);
  const Partial all = block_merge(mine);
  const float scale = 1.0f / all.sum;  // a product for each element in place of a quotient

  const int stride4 = gridDim.x * THREADS * UNROLL;
  for (int first = blockIdx.x * THREADS * UNROLL + tid; first < count4; first += stride4) {
    float4 values[UNROLL];
#pragma unroll
    for (int u = 0; u < UNROLL; ++u) values[u] = load(x4, first + u * THREADS, count4);
#pragma unroll
    for (int u = 0; u < UNROLL; ++u) {
      const int i = first + u * THREADS;
      if (i < count4) y4[i] = quotients(values[u], all.max, scale);
    }
  }

  const int stride = gridDim.x * THREADS;
  for (int i = 4 * count4 + blockIdx.x * THREADS + tid; i < n; i += stride) {
    y[i] = __expf(x[i] - all.max) * scale;
  }
}

bool aligned(const void* pointer) {
  return reinterpret_cast<uintptr_t>(pointer) % 16 == 0;
}

int full_machine() {
  int device = 0;
  int processors = 1;
  cudaGetDevice(&device);
  cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device);
  const int blocks = processors * BLOCKS_PER_SM;
  return blocks < MAX_BLOCKS ? blocks : MAX_BLOCKS;
}

extern "C" void softmax(const float* x, float* y, int n) {
  static const int most = full_machine();
  const int count4 = aligned(x) && aligned(y) ? n / 4 : 0;
  const int needed = (n - 1) / (4 * THREADS * UNROLL) + 1;
  const int grid = needed < most ? needed : most;
  partial_kernel<<<grid, THREADS>>>(x, n, count4);
  quotient_kernel<<<grid, THREADS>>>(x, y, n, count4);  // the same grid: it counts the partials
}
