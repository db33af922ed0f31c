// 64 x 64 tiles of C, 4 x 4 results per thread, K in slices of 16, blocks take tiles in turn from a one-dimensional grid.
#include <cuda_runtime.h>

namespace {
constexpr int kTile = 64, kSlice = 16;

__global__ void __launch_bounds__(256) gemm(const float* A, const float* B, float* C, int M, int N, int K, int across,
                                            int tiles) {
  __shared__ float a[kSlice][kTile + 1];
  __shared__ float b[kSlice][kTile];
  const int tx = threadIdx.x % 16, ty = threadIdx.x / 16;
  for (int t = blockIdx.x; t < tiles; t += gridDim.x) {
    const int row0 = t / across * kTile, col0 = t % across * kTile;
    float acc[4][4] = {};
    for (int k0 = 0; k0 < K; k0 += kSlice) {
      for (int e = threadIdx.x; e < kTile * kSlice; e += 256) {
        const int m = e / kSlice, k = e % kSlice;
        a[k][m] = row0 + m < M && k0 + k < K ? A[static_cast<size_t>(row0 + m) * K + k0 + k] : 0.0f;
      }
      for (int e = threadIdx.x; e < kTile * kSlice; e += 256) {
        const int k = e / kTile, c = e % kTile;
        b[k][c] = col0 + c < N && k0 + k < K ? B[static_cast<size_t>(k0 + k) * N + col0 + c] : 0.0f;
      }
      __syncthreads();
#pragma unroll
      for (int k = 0; k < kSlice; ++k)
#pragma unroll
        for (int i = 0; i < 4; ++i)
#pragma unroll
          for (int j = 0; j < 4; ++j) acc[i][j] += a[k][ty + 16 * i] * b[k][tx + 16 * j];
      __syncthreads();
    }
    for (int i = 0; i < 4; ++i)
      for (int j = 0; j < 4; ++j) {
        const int r = row0 + ty + 16 * i, c = col0 + tx + 16 * j;
        if (r < M && c < N) C[static_cast<size_t>(r) * N + c] = acc[i][j];
      }
  }
}
}  // namespace

extern "C" void sgemm(const float* A, const float* B, float* C, int M, int N, int K) {
  const int across = (N - 1) / kTile + 1, tiles = across * ((M - 1) / kTile + 1);
  gemm<<<tiles < 1056 ? tiles : 1056, 256>>>(A, B, C, M, N, K, across, tiles);
}
