// One float4 per thread: four elements for one load instruction, and half the blocks again.
//
// count4 threads take a float4; as many as there are elements left (n % 4, or all of them where x
// is not at a multiple of 16 bytes) take one of those as well. The grid is rounded up once, from
// whichever is more: n / 4 / 512 in whole numbers would lose the tail of the last block.
//
// Prediction: 15 or 16 blocks one after the other in each place: 13 us at 2^24, less than the 16 us
// that memory takes. 16 bytes in flight in each thread: 2048 threads hold 32 KB on an SM that needs
// 23 KB to keep its share of 4.3 TB/s busy for 700 ns, but only as long as all of them are waiting
// for a load, and while a block reduces and the next one starts they are not. 8192 atomics: 4 us,
// hidden.
// Measured: 32.7 us at 16777216, 67 % of the limit (H200, 2026-11-22)
#include <kata/kata.h>

#include <math.h>
#include <stdint.h>

constexpr int THREADS = 512;
constexpr int WARPS = THREADS / 32;
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

__global__ void reduce_max_kernel(const float* x, float* max, int n, int count4) {
  const int tid = threadIdx.x;
  const int i = blockIdx.x * THREADS + tid;
  float value = -INFINITY;
  if (i < count4) {
    const float4 v = reinterpret_cast<const float4*>(x)[i];
    value = max_of(v);
  }
  const int rest = n - 4 * count4;
  if (i < rest) value = fmaxf(value, x[4 * count4 + i]);

  const float result = block_max(value);
  if (tid == 0) atomic_max(max, result);
}

bool aligned(const void* pointer) {
  return reinterpret_cast<uintptr_t>(pointer) % 16 == 0;
}

extern "C" void reduce_max(const float* x, float* max, int n) {
  const int count4 = aligned(x) ? n / 4 : 0;
  const int rest = n - 4 * count4;
  const int threads_needed = count4 > rest ? count4 : rest;
  start_kernel<<<1, 1>>>(max);
  reduce_max_kernel<<<kata::ceil_div(threads_needed, THREADS), THREADS>>>(x, max, n, count4);
}
