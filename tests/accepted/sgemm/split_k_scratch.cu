// K in three parts, each into scratch memory of its own; a second kernel adds them.
#include <cuda_runtime.h>

constexpr int parts = 3;

__global__ void partial_products(const float* A, const float* B, float* scratch, int M, int N,
                                 int K) {
  const int col = blockIdx.x * blockDim.x + threadIdx.x;
  const int row = blockIdx.y * blockDim.y + threadIdx.y;
  const int part = blockIdx.z;
  if (row >= M || col >= N) return;
  float sum = 0.0f;
  for (int k = part; k < K; k += parts) sum += A[row * K + k] * B[k * N + col];
  scratch[(part * M + row) * N + col] = sum;
}

__global__ void add_parts(const float* scratch, float* C, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) C[i] = (scratch[i] + scratch[count + i]) + scratch[2 * count + i];
}

extern "C" void sgemm(const float* A, const float* B, float* C, int M, int N, int K) {
  float* scratch = nullptr;
  if (cudaMallocAsync(&scratch, sizeof(float) * parts * M * N, nullptr) != cudaSuccess) return;
  const dim3 block(16, 8);
  partial_products<<<dim3((N + 15) / 16, (M + 7) / 8, parts), block>>>(A, B, scratch, M, N, K);
  add_parts<<<(M * N + 127) / 128, 128>>>(scratch, C, M * N);
  cudaFreeAsync(scratch, nullptr);
}
