// Fault: only whole groups of 32 columns are copied.
#include <cuda_runtime.h>

__global__ void embedding_kernel(const int* ids, const float* table, float* y, int n, int dim) {
  const int token = blockIdx.x * blockDim.y + threadIdx.y;
  if (token >= n) return;
  const float* row = table + static_cast<size_t>(ids[token]) * dim;
  float* out = y + static_cast<size_t>(token) * dim;
  for (int col = threadIdx.x; col < dim / 32 * 32; col += 32) out[col] = row[col];
}

extern "C" void embedding(const int* ids, const float* table, float* y, int n, int vocabulary,
                          int dim) {
  embedding_kernel<<<(n + 3) / 4, dim3(32, 4)>>>(ids, table, y, n, dim);
}
