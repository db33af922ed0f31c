// Fault: float4 copies of every row, which is aligned only if dim % 4 is 0.
#include <cuda_runtime.h>

__global__ void embedding_kernel(const int* ids, const float* table, float* y, int n, int dim) {
  const int token = blockIdx.x * blockDim.y + threadIdx.y;
  if (token >= n) return;
  const float* row = table + static_cast<size_t>(ids[token]) * dim;
  float* out = y + static_cast<size_t>(token) * dim;
  for (int i = threadIdx.x; i < dim / 4; i += 32) {
    reinterpret_cast<float4*>(out)[i] = reinterpret_cast<const float4*>(row)[i];
  }
  for (int col = dim / 4 * 4 + threadIdx.x; col < dim; col += 32) out[col] = row[col];
}

extern "C" void embedding(const int* ids, const float* table, float* y, int n, int vocabulary,
                          int dim) {
  embedding_kernel<<<(n + 3) / 4, dim3(32, 4)>>>(ids, table, y, n, dim);
}
