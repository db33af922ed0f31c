// 16-byte loads, four of them in flight in each lane.
//
// Rows start at multiples of 16 bytes only where K % 4 == 0; elsewhere the same loop runs with
// 4-byte loads, sixteen in flight.
//
// Prediction: the bytes are the same, a quarter of the load instructions. With 2048 threads on an
// SM and 64 bytes in flight in each there are 128 KiB; 23 KB are enough for 4.3 TB/s at 700 ns. So
// the bandwidth is the limit now: 15.3 us at 4096 x 4096 and some 3 us for the launch.
// Measured: 26.6 us at 4096x4096, 83 % of the limit (H200, 2026-11-22)
#include <kata/kata.h>

#include <stdint.h>

constexpr int THREADS = 256;
constexpr int WARPS = THREADS / 32;
constexpr int UNROLL = 4;
constexpr unsigned ALL_LANES = 0xffffffffu;

__device__ float warp_sum(float value) {
  for (int offset = 16; offset > 0; offset /= 2) {
    value += __shfl_xor_sync(ALL_LANES, value, offset);
  }
  return value;
}

__device__ float dot(float4 a, float4 b) {
  return (a.x * b.x + a.y * b.y) + (a.z * b.z + a.w * b.w);
}

__device__ float at(const float* p, int k, int K) {
  return k < K ? p[k] : 0.0f;
}

// Four elements from the group of 128 that begins at `first`: neighbours, or 32 apart, so that
// lanes stay next to each other in each of four loads. Behind the end there are zeros.
template <bool VECTOR>
__device__ float4 load(const float* p, int first, int K) {
  const int lane = threadIdx.x % 32;
  if (VECTOR) {
    const int k = first + 4 * lane;
    return k < K ? *reinterpret_cast<const float4*>(p + k) : make_float4(0.0f, 0.0f, 0.0f, 0.0f);
  }
  const int k = first + lane;
  return make_float4(at(p, k, K), at(p, k + 32, K), at(p, k + 64, K), at(p, k + 96, K));
}

template <bool VECTOR>
__global__ void sgemv_kernel(const float* A, const float* x, float* y, int M, int K) {
  const int lane = threadIdx.x % 32;
  const int warp = threadIdx.x / 32;
  const int row = blockIdx.x * WARPS + warp;
  if (row >= M) return;  // the whole warp: the shuffles below never miss a lane
  const float* row_A = A + static_cast<size_t>(row) * K;
  float sum = 0.0f;
  for (int first = 0; first < K; first += UNROLL * 128) {
    float4 a[UNROLL];
#pragma unroll
    for (int u = 0; u < UNROLL; ++u) a[u] = load<VECTOR>(row_A, first + u * 128, K);
#pragma unroll
    for (int u = 0; u < UNROLL; ++u) sum += dot(a[u], load<VECTOR>(x, first + u * 128, K));
  }
  sum = warp_sum(sum);
  if (lane == 0) y[row] = sum;
}

bool aligned(const void* pointer) {
  return reinterpret_cast<uintptr_t>(pointer) % 16 == 0;
}

extern "C" void sgemv(const float* A, const float* x, float* y, int M, int K) {
  const int grid = kata::ceil_div(M, WARPS);
  if (K % 4 == 0 && aligned(A) && aligned(x)) {
    sgemv_kernel<true><<<grid, THREADS>>>(A, x, y, M, K);
  } else {
    sgemv_kernel<false><<<grid, THREADS>>>(A, x, y, M, K);
  }
}
