// Fault: the number of a token is kept in 16 bits.
#include <cuda_runtime.h>

__global__ void embedding_kernel(const int* ids, const float* table, float* y, int n, int dim) {
  const int thread = blockIdx.x * blockDim.x + threadIdx.x;
  if (thread >= n) return;
  const unsigned short token = thread;
  for (int i = 0; i < dim; ++i)
    y[static_cast<size_t>(token) * dim + i] = table[static_cast<size_t>(ids[token]) * dim + i];
}

extern "C" void embedding(const int* ids, const float* table, float* y, int n, int vocabulary,
                          int dim) {
  embedding_kernel<<<(n + 127) / 128, 128>>>(ids, table, y, n, dim);
}
