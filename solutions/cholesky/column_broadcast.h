#pragma once
// Rung 6's kernel: a warp factors a matrix of up to 64 x 64; a lane has every 32nd row in registers.

#include <kata/kata.h>

// Columns of L in shared memory. Each begins 4 words after a multiple of 32: eight lanes that read
// four rows each of neighbouring columns meet all banks.
template <int N>
struct Columns {
  float value[N][N + 4];

  __device__ float4 rows(int column, int first) const {
    return *reinterpret_cast<const float4*>(&value[column][first]);
  }
};

// row[r] is row lane + 32 r. Rows that do not exist are those of an identity matrix. Entries above the
// diagonal hold anything afterwards.
template <int N>
__device__ void factor_columns(float (&row)[(N + 31) / 32][N], Columns<N>& columns) {
  constexpr int ROWS = (N + 31) / 32;
  const int lane = threadIdx.x % 32;
#pragma unroll
  for (int j = 0; j < N; ++j) {
    const float root = sqrtf(__shfl_sync(0xffffffffu, row[j / 32][j], j % 32));
    const float inverse = 1.0f / root;
#pragma unroll
    for (int r = 0; r < ROWS; ++r) {
      if (j >= 32 * (r + 1)) continue;  // above the diagonal
      row[r][j] = lane + 32 * r == j ? root : row[r][j] * inverse;
      if (lane + 32 * r < N) columns.value[j][lane + 32 * r] = row[r][j];
    }
    __syncwarp();
#pragma unroll
    for (int k4 = 0; k4 < N; k4 += 4) {
      if (k4 + 3 <= j) continue;
      const float4 of_rows = columns.rows(j, k4);
      const float factors[4] = {of_rows.x, of_rows.y, of_rows.z, of_rows.w};
#pragma unroll
      for (int k = k4; k < k4 + 4; ++k) {
        if (k <= j) continue;
#pragma unroll
        for (int r = 0; r < ROWS; ++r) {
          if (k < 32 * (r + 1)) row[r][k] -= row[r][j] * factors[k - k4];
        }
      }
    }
  }
}

template <int N, int WARPS>
__global__ void __launch_bounds__(32 * WARPS)
    columns_kernel(const float* A, float* L, int batch, int n) {
  constexpr int ROWS = (N + 31) / 32;
  extern __shared__ __align__(16) char shared[];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const int matrix = blockIdx.x * WARPS + warp;
  if (matrix >= batch) return;  // the whole warp
  Columns<N>& columns = reinterpret_cast<Columns<N>*>(shared)[warp];
  A += static_cast<size_t>(matrix) * n * n;
  L += static_cast<size_t>(matrix) * n * n;
  float row[ROWS][N];
#pragma unroll
  for (int r = 0; r < ROWS; ++r) {
    const int i = lane + 32 * r;
#pragma unroll
    for (int k = 0; k < N; ++k) {
      row[r][k] = i == k ? 1.0f : 0.0f;
      if (i < n && k <= i) row[r][k] = A[k * n + i];
    }
  }
  factor_columns(row, columns);
#pragma unroll
  for (int i4 = 0; i4 < N; i4 += 4) {
#pragma unroll
    for (int r = 0; r < ROWS; ++r) {
      const int j = lane + 32 * r;
      if (j >= n) continue;
      float4 of_rows = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
      if (j < i4 + 4) of_rows = columns.rows(j, i4);  // else all four are above the diagonal
      const float values[4] = {of_rows.x, of_rows.y, of_rows.z, of_rows.w};
#pragma unroll
      for (int i = i4; i < i4 + 4; ++i) {
        if (i < n) L[i * n + j] = j <= i ? values[i - i4] : 0.0f;
      }
    }
  }
}

template <int N, int WARPS>
void launch_columns(const float* A, float* L, int batch, int n) {
  constexpr int BYTES = WARPS * sizeof(Columns<N>);
  cudaFuncSetAttribute(columns_kernel<N, WARPS>, cudaFuncAttributeMaxDynamicSharedMemorySize,
                       BYTES);
  columns_kernel<N, WARPS>
      <<<kata::ceil_div(batch, WARPS), 32 * WARPS, BYTES>>>(A, L, batch, n);
}

// n at most 64.
inline void launch_small(const float* A, float* L, int batch, int n) {
  const auto launch = n <= 8    ? launch_columns<8, 4>
                      : n <= 16 ? launch_columns<16, 4>
                      : n <= 32 ? launch_columns<32, 4>
                                : launch_columns<64, 2>;
  launch(A, L, batch, n);
}
