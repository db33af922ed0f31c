// Fault: ids are cut to 16 bits: 65536 becomes 0.
#include <cuda_runtime.h>

__global__ void embedding_kernel(const int* ids, const float* table, float* y, int n, int dim) {
  const int token = blockIdx.x * blockDim.y + threadIdx.y;
  if (token >= n) return;
  const float* row = table + static_cast<size_t>(static_cast<unsigned short>(ids[token])) * dim;
  float* out = y + static_cast<size_t>(token) * dim;
  for (int col = threadIdx.x; col < dim; col += 32) out[col] = row[col];
}

extern "C" void embedding(const int* ids, const float* table, float* y, int n, int vocabulary,
                          int dim) {
  embedding_kernel<<<(n + 3) / 4, dim3(32, 4)>>>(ids, table, y, n, dim);
}
