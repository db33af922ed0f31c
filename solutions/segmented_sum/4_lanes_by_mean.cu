// As many lanes per segment as the mean segment can use, eight elements each.
//
// The rung to reach in 30 minutes. n / segments is known on the host without reading the offsets.
// A power of two of lanes lets segments share a warp, and the shuffles stay within a group. Lanes
// without a segment add 0: a full mask names all 32, so none may leave.
//
// Prediction: 16 elements per segment get 2 lanes, eight elements each, four of them in flight, and
// one shuffle: 80 us for 2^22 segments of 16. The mean says nothing about a single segment: with a
// power law the longest of 2^22 has 378 thousand elements for 2 lanes, 30 ms.
// Measured: 80.8 us at 67108864x4194304, 86 % of the limit (H200, 2026-11-29)
#include <kata/kata.h>

constexpr int THREADS = 256;
constexpr unsigned ALL_LANES = 0xffffffffu;

template <int LANES>
__global__ void segment_kernel(const float* x, const int* offsets, float* y, int segments) {
  const int lane = threadIdx.x % LANES;
  const int s = blockIdx.x * (THREADS / LANES) + threadIdx.x / LANES;
  const int begin = s < segments ? offsets[s] : 0;
  const int end = s < segments ? offsets[s + 1] : 0;
  float sum = 0.0f;
  for (int i = begin + lane; i < end; i += LANES) sum += x[i];
#pragma unroll
  for (int offset = (LANES < 32 ? LANES : 32) / 2; offset > 0; offset /= 2) {
    sum += __shfl_down_sync(ALL_LANES, sum, offset);
  }
  if (LANES > 32) {
    __shared__ float slots[THREADS / 32];
    if (threadIdx.x % 32 == 0) slots[threadIdx.x / 32] = sum;
    __syncthreads();
    sum = 0.0f;
    for (int warp = 0; warp < THREADS / 32; ++warp) sum += slots[warp];
  }
  if (lane == 0 && s < segments) y[s] = sum;
}

template <int LANES>
void launch(const float* x, const int* offsets, float* y, int segments) {
  static_assert(LANES <= 32 || LANES == THREADS, "a part of a warp, or the whole block");
  const int grid = kata::ceil_div(segments, THREADS / LANES);
  segment_kernel<LANES><<<grid, THREADS>>>(x, offsets, y, segments);
}

extern "C" void segmented_sum(const float* x, const int* offsets, float* y, int n, int segments) {
  const int mean = n / segments;
  if (mean <= 8) return launch<1>(x, offsets, y, segments);
  if (mean <= 16) return launch<2>(x, offsets, y, segments);
  if (mean <= 32) return launch<4>(x, offsets, y, segments);
  if (mean <= 64) return launch<8>(x, offsets, y, segments);
  if (mean <= 128) return launch<16>(x, offsets, y, segments);
  if (mean <= 1024) return launch<32>(x, offsets, y, segments);
  launch<THREADS>(x, offsets, y, segments);
}
