// Fault: a block has one thread per column: no launch above 1024 columns.
#include <cuda_runtime.h>

__global__ void embedding_kernel(const int* ids, const float* table, float* y, int dim) {
  const size_t out = static_cast<size_t>(blockIdx.x) * dim + threadIdx.x;
  y[out] = table[static_cast<size_t>(ids[blockIdx.x]) * dim + threadIdx.x];
}

extern "C" void embedding(const int* ids, const float* table, float* y, int n, int vocabulary,
                          int dim) {
  embedding_kernel<<<n, dim>>>(ids, table, y, dim);
}
