// x goes through constant memory, a chunk at a time; y is the accumulator between the launches.
#include <cuda_runtime.h>

constexpr int chunk = 8192;
__constant__ float x_chunk[chunk];

__global__ void add_chunk(const float* A, float* y, int M, int K, int first, int count) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= M) return;
  float sum = first == 0 ? 0.0f : y[row];
  for (int k = 0; k < count; ++k) sum += A[static_cast<size_t>(row) * K + first + k] * x_chunk[k];
  y[row] = sum;
}

extern "C" void sgemv(const float* A, const float* x, float* y, int M, int K) {
  for (int first = 0; first < K; first += chunk) {
    const int count = min(chunk, K - first);
    cudaMemcpyToSymbol(x_chunk, x + first, count * sizeof(float), 0, cudaMemcpyDeviceToDevice);
    add_chunk<<<(M + 63) / 64, 64>>>(A, y, M, K, first, count);
  }
}
