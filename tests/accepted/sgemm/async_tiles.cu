// Tiles of 16 x 16 through cp.async, the next one on its way while this one is used.
#include <cuda_pipeline.h>
#include <cuda_runtime.h>

constexpr int side = 16;

__device__ void fetch(float* to, const float* from, bool inside) {
  if (inside) {
    __pipeline_memcpy_async(to, from, sizeof(float));
  } else {
    *to = 0.0f;
  }
}

__global__ void sgemm_kernel(const float* A, const float* B, float* C, int M, int N, int K) {
  __shared__ float a[2][side][side], b[2][side][side];
  const int tx = threadIdx.x, ty = threadIdx.y;
  const int row = blockIdx.y * side + ty, col = blockIdx.x * side + tx;
  const int tiles = (K + side - 1) / side;
  const auto fetch_tile = [&](int tile) {
    const int k_of_a = tile * side + tx, k_of_b = tile * side + ty;
    fetch(&a[tile & 1][ty][tx], A + row * K + k_of_a, row < M && k_of_a < K);
    fetch(&b[tile & 1][ty][tx], B + k_of_b * N + col, k_of_b < K && col < N);
    __pipeline_commit();
  };
  fetch_tile(0);
  float sum = 0.0f;
  for (int tile = 0; tile < tiles; ++tile) {
    if (tile + 1 < tiles) fetch_tile(tile + 1);
    __pipeline_wait_prior(tile + 1 < tiles ? 1 : 0);
    __syncthreads();
    for (int k = 0; k < side; ++k) sum = fmaf(a[tile & 1][ty][k], b[tile & 1][k][tx], sum);
    __syncthreads();
  }
  if (row < M && col < N) C[row * N + col] = sum;
}

extern "C" void sgemm(const float* A, const float* B, float* C, int M, int N, int K) {
  const dim3 grid((N + side - 1) / side, (M + side - 1) / side);
  sgemm_kernel<<<grid, dim3(side, side)>>>(A, B, C, M, N, K);
}
