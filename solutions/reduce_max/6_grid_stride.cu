// A grid as large as the machine: each thread strides through x, with four float4 in flight.
//
// One block for 2048 elements means 8192 blocks at 2^24: each waits for its load, then for its
// shuffles and its barrier, and then its place is filled anew. A grid of one wave pays for that
// once: 528 blocks on 132 SMs.
//
// Prediction: 64 bytes in flight in each of 2048 threads, 128 KB on an SM where 23 KB are needed:
// memory is the limit, 4379 GB/s on the H200 (2^28: 245 us; 2^24: 15 us and the launches). 528
// atomics: 0.3 us.
// Measured: 245.0 us at 268435456, 98 % of the limit (H200, 2026-11-22)
#include <kata/kata.h>

#include <math.h>
#include <stdint.h>

constexpr int THREADS = 512;
constexpr int WARPS = THREADS / 32;
constexpr int BLOCKS_PER_SM = 4;  // 2048 threads, with 32 registers each
constexpr int UNROLL = 4;
constexpr unsigned ALL_LANES = 0xffffffffu;

// The largest of the warp's values, in lane 0.
__device__ float warp_max(float value) {
  for (int offset = 16; offset > 0; offset /= 2) {
    value = fmaxf(value, __shfl_down_sync(ALL_LANES, value, offset));
  }
  return value;
}

// The largest of the block's values, in thread 0. Every thread calls it.
__device__ float block_max(float value) {
  __shared__ float slots[WARPS];
  const int lane = threadIdx.x % 32;
  const int warp = threadIdx.x / 32;
  value = warp_max(value);
  if (lane == 0) slots[warp] = value;
  __syncthreads();
  if (warp == 0) value = warp_max(lane < WARPS ? slots[lane] : -INFINITY);
  return value;
}

__device__ float max_of(float4 v) {
  return fmaxf(fmaxf(v.x, v.y), fmaxf(v.z, v.w));
}

// The largest of what this thread reads: float4 by float4, four of them asked for before any is
// used, then what is left one by one.
__device__ float thread_max(const float* x, int n, int count4) {
  const float4* x4 = reinterpret_cast<const float4*>(x);
  const int tid = threadIdx.x;
  const int stride4 = gridDim.x * THREADS * UNROLL;
  float value = -INFINITY;
  for (int first = blockIdx.x * THREADS * UNROLL + tid; first < count4; first += stride4) {
    float4 v[UNROLL];
#pragma unroll
    for (int k = 0; k < UNROLL; ++k) {
      const int i = first + k * THREADS;
      v[k] = i < count4 ? x4[i] : make_float4(-INFINITY, -INFINITY, -INFINITY, -INFINITY);
    }
#pragma unroll
    for (int k = 0; k < UNROLL; ++k) value = fmaxf(value, max_of(v[k]));
  }

  const int stride = gridDim.x * THREADS;
  for (int i = 4 * count4 + blockIdx.x * THREADS + tid; i < n; i += stride) {
    value = fmaxf(value, x[i]);
  }
  return value;
}

__global__ void start_kernel(float* max) {
  *max = -INFINITY;  // the maximum of nothing
}

// max becomes the larger of itself and value, by one integer atomic. As int, floats with the sign
// bit clear are above those with it set, and in the order of the floats: atomicMax. As unsigned,
// floats with the sign bit set are above those with it clear, and in the opposite order: atomicMin.
// The bit is what counts: -0.0f >= 0.0f is true, but the bits of -0.0f are the smallest int of
// all, which atomicMax would not even store over -infinity.
__device__ void atomic_max(float* max, float value) {
  const int bits = __float_as_int(value);
  if (bits >= 0) {
    atomicMax(reinterpret_cast<int*>(max), bits);
  } else {
    atomicMin(reinterpret_cast<unsigned int*>(max), static_cast<unsigned int>(bits));
  }
}

__global__ void __launch_bounds__(THREADS, BLOCKS_PER_SM)
    reduce_max_kernel(const float* x, float* max, int n, int count4) {
  const float result = block_max(thread_max(x, n, count4));
  if (threadIdx.x == 0) atomic_max(max, result);
}

bool aligned(const void* pointer) {
  return reinterpret_cast<uintptr_t>(pointer) % 16 == 0;
}

// As many blocks as the GPU runs at once.
int full_machine() {
  int device = 0;
  int processors = 1;
  cudaGetDevice(&device);
  cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device);
  return processors * BLOCKS_PER_SM;
}

extern "C" void reduce_max(const float* x, float* max, int n) {
  static const int most = full_machine();
  const int count4 = aligned(x) ? n / 4 : 0;
  const int needed = kata::ceil_div(n, 4 * THREADS * UNROLL);
  const int grid = needed < most ? needed : most;
  start_kernel<<<1, 1>>>(max);
  reduce_max_kernel<<<grid, THREADS>>>(x, max, n, count4);
}
