// Fault: the list of an id's tokens ends one token early, unless it has only one.
#include <cuda_runtime.h>

// last[id]: the last token of an id so far; previous[token]: the one before it, or -1.
__global__ void link_kernel(const int* ids, int* last, int* previous, int n) {
  const int token = blockIdx.x * 256 + threadIdx.x;
  if (token < n) previous[token] = atomicExch(&last[ids[token]], token);
}

__global__ void copy_kernel(const int* ids, const float* table, float* y, const int* last,
                            const int* previous, int dim) {
  int token = blockIdx.x;
  const int id = ids[token];
  if (last[id] != token) return;
  do {
    for (int col = threadIdx.x; col < dim; col += 64) {
      y[static_cast<size_t>(token) * dim + col] = table[static_cast<size_t>(id) * dim + col];
    }
    token = previous[token];
  } while (token >= 0 && previous[token] >= 0);
}

extern "C" void embedding(const int* ids, const float* table, float* y, int n, int vocabulary,
                          int dim) {
  int *last, *previous;
  cudaMalloc(&last, vocabulary * sizeof(int));
  cudaMalloc(&previous, n * sizeof(int));
  cudaMemset(last, -1, vocabulary * sizeof(int));
  link_kernel<<<(n - 1) / 256 + 1, 256>>>(ids, last, previous, n);
  copy_kernel<<<n, 64>>>(ids, table, y, last, previous, dim);
  cudaFree(last);
  cudaFree(previous);
}
