// Fault: two buffers are flipped by XOR on a pointer, as if shared memory began at a multiple of
// their size; a small array before them moves it.
#include <cuda_runtime.h>

__global__ void sgemm_kernel(const float* A, const float* B, float* C, int M, int N, int K) {
  __shared__ float bias[16];
  __shared__ float tiles[2][512];
  const int tx = threadIdx.x, ty = threadIdx.y;
  const int col = blockIdx.x * 16 + tx, row = blockIdx.y * 16 + ty;
  if (ty == 0) bias[tx] = 0.0f;
  float* tile = tiles[0];
  float sum = 0.0f;
  for (int k = 0; k < K; k += 16) {
    tile[ty * 16 + tx] = row < M && k + tx < K ? A[row * K + k + tx] : 0.0f;
    tile[256 + ty * 16 + tx] = k + ty < K && col < N ? B[(k + ty) * N + col] : 0.0f;
    __syncthreads();
    for (int i = 0; i < 16; ++i) sum += tile[ty * 16 + i] * tile[256 + i * 16 + tx];
    tile = reinterpret_cast<float*>(reinterpret_cast<size_t>(tile) ^ sizeof tiles[0]);
  }
  if (row < M && col < N) C[row * N + col] = sum + bias[tx];
}

extern "C" void sgemm(const float* A, const float* B, float* C, int M, int N, int K) {
  const dim3 grid((N + 15) / 16, (M + 15) / 16);
  sgemm_kernel<<<grid, dim3(16, 16)>>>(A, B, C, M, N, K);
}
