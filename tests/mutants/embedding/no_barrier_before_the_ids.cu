// Fault: ids are staged in shared memory and read without a barrier.
#include <cuda_runtime.h>

__global__ void embedding_kernel(const int* ids, const float* table, float* y, int n, int dim) {
  __shared__ int staged[128];
  const int first = blockIdx.x * 128;
  if (first + static_cast<int>(threadIdx.x) < n) staged[threadIdx.x] = ids[first + threadIdx.x];
  for (int t = 0; t < 128 && first + t < n; ++t) {
    const float* row = table + static_cast<size_t>(staged[t]) * dim;
    float* out = y + static_cast<size_t>(first + t) * dim;
    for (int col = threadIdx.x; col < dim; col += 128) out[col] = row[col];
  }
}

extern "C" void embedding(const int* ids, const float* table, float* y, int n, int vocabulary,
                          int dim) {
  embedding_kernel<<<(n + 127) / 128, 128>>>(ids, table, y, n, dim);
}
