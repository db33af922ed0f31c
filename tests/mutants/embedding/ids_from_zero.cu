// Fault: ids count from 1.
#include <cuda_runtime.h>

__global__ void embedding_kernel(const int* ids, const float* table, float* y, int n, int dim) {
  const int token = blockIdx.x * blockDim.y + threadIdx.y;
  if (token >= n) return;
  const float* row = table + static_cast<size_t>(max(ids[token] - 1, 0)) * dim;
  float* out = y + static_cast<size_t>(token) * dim;
  for (int col = threadIdx.x; col < dim; col += 32) out[col] = row[col];
}

extern "C" void embedding(const int* ids, const float* table, float* y, int n, int vocabulary,
                          int dim) {
  embedding_kernel<<<(n + 3) / 4, dim3(32, 4)>>>(ids, table, y, n, dim);
}
