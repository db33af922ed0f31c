// Blocks of one group and 32 columns: each goes down the group's rows, 8 at a time, and an empty
// group has nothing to do. A row's 8 products of A and B are in shared memory at one time.
#include <cuda_bf16.h>
#include <cuda_runtime.h>

constexpr int ROWS = 8, COLS = 32, DEPTH = 16;

__global__ void product(const __nv_bfloat16* A, const __nv_bfloat16* B, const int* offsets,
                        __nv_bfloat16* C, int K, int N) {
  __shared__ float a[ROWS][DEPTH], b[DEPTH][COLS];
  const int g = blockIdx.x, x = threadIdx.x, y = threadIdx.y;
  const int col = blockIdx.y * COLS + x, end = offsets[g + 1];
  for (int row0 = offsets[g]; row0 < end; row0 += ROWS) {
    const int row = row0 + y;
    float sum = 0.0f;
    for (int k0 = 0; k0 < K; k0 += DEPTH) {
      if (x < DEPTH) {
        const bool is_in = row < end && k0 + x < K;
        a[y][x] = is_in ? __bfloat162float(A[static_cast<size_t>(row) * K + k0 + x]) : 0.0f;
      }
      for (int k = y; k < DEPTH; k += ROWS) {
        const bool is_in = k0 + k < K && col < N;
        const size_t at = (static_cast<size_t>(g) * K + k0 + k) * N + col;
        b[k][x] = is_in ? __bfloat162float(B[at]) : 0.0f;
      }
      __syncthreads();
      for (int k = 0; k < DEPTH; ++k) sum += a[y][k] * b[k][x];
      __syncthreads();
    }
    if (row < end && col < N) C[static_cast<size_t>(row) * N + col] = __float2bfloat16(sum);
  }
}

extern "C" void grouped_gemm(const __nv_bfloat16* A, const __nv_bfloat16* B, const int* offsets,
                             __nv_bfloat16* C, int groups, int M, int K, int N) {
  product<<<dim3(groups, (N + COLS - 1) / COLS), dim3(COLS, ROWS)>>>(A, B, offsets, C, K, N);
}
