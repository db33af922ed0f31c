// Fault: a scale of 1 and an offset of 0 are applied: -0 becomes 0.
#include <cuda_runtime.h>

__global__ void embedding_kernel(const int* ids, const float* table, float* y, int n, int dim,
                                 float offset) {
  for (int t = blockIdx.x; t < n; t += gridDim.x) {
    const float* row = table + (size_t)ids[t] * dim;
    for (int i = threadIdx.x; i < dim; i += blockDim.x) y[(size_t)t * dim + i] = row[i] + offset;
  }
}

extern "C" void embedding(const int* ids, const float* table, float* y, int n, int vocabulary,
                          int dim) {
  embedding_kernel<<<n, 128>>>(ids, table, y, n, dim, 0.0f);
}
