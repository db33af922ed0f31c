// Short rows get fewer lanes: 4 lanes read a row of 16 floats, and a warp reads 8 rows at once.
//
// A row of 16 floats is 4 float4; with a whole warp per row, 28 of 32 lanes are idle. With 4 lanes
// per row, a warp reads 512 consecutive bytes, and the sum takes 2 shuffles instead of 5. The
// number of lanes is a template parameter, so that row and lane are found with shifts.
//
// Prediction: 2^20 x 16 is 71 MB, 16 us at 4379 GB/s plus 3 us for the launch, where a warp per row
// takes 153 us. Each thread has one load in flight and then two shuffles, so not quite: 23 us.
// Measured: 23.2 us at 1048576x16, 83 % of the limit (H200, 2026-11-23)
#include <kata/kata.h>

#include "row_dot.h"

constexpr int THREADS = 256;

// LANES lanes per row: 4, 8, 16 or 32.
template <int LANES, bool VECTOR>
__global__ void __launch_bounds__(THREADS)
    sgemv_kernel(const float* A, const float* x, float* y, int M, int K) {
  const int row = blockIdx.x * (THREADS / LANES) + threadIdx.x / LANES;
  // A warp may hold rows past the last one, so no lane returns before the shuffles.
  const float* row_A = A + static_cast<size_t>(row < M ? row : 0) * K;
  const float sum = group_sum<LANES>(partial_dot<LANES, VECTOR>(row_A, x, 0, row < M ? K : 0));
  if (row < M && threadIdx.x % LANES == 0) y[row] = sum;
}

template <int LANES, bool VECTOR>
void launch_lanes(const float* A, const float* x, float* y, int M, int K) {
  const int grid = kata::ceil_div(M, THREADS / LANES);
  sgemv_kernel<LANES, VECTOR><<<grid, THREADS>>>(A, x, y, M, K);
}

template <bool VECTOR>
void launch(const float* A, const float* x, float* y, int M, int K) {
  if (K <= 16) {
    launch_lanes<4, VECTOR>(A, x, y, M, K);
  } else if (K <= 32) {
    launch_lanes<8, VECTOR>(A, x, y, M, K);
  } else if (K <= 64) {
    launch_lanes<16, VECTOR>(A, x, y, M, K);
  } else {
    launch_lanes<32, VECTOR>(A, x, y, M, K);
  }
}

extern "C" void sgemv(const float* A, const float* x, float* y, int M, int K) {
  if (K % 4 == 0 && is_aligned16(A) && is_aligned16(x)) {
    launch<true>(A, x, y, M, K);
  } else {
    launch<false>(A, x, y, M, K);
  }
}
