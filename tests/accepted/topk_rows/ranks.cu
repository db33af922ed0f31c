// Counts for each element how many come before it. Those with a rank below k store themselves: no
// thread speaks to another.
#include <cuda_runtime.h>

__global__ void rank_kernel(const float* x, float* values, int* indices, int cols, int k) {
  const float* row = x + static_cast<size_t>(blockIdx.x) * cols;
  const int col = blockIdx.y * blockDim.x + threadIdx.x;
  if (col >= cols) return;
  const float mine = row[col];
  int rank = 0;
  for (int c = 0; c < cols && rank < k; ++c) {
    rank += row[c] > mine || (row[c] == mine && c < col);
  }
  if (rank >= k) return;
  values[static_cast<size_t>(blockIdx.x) * k + rank] = mine;
  indices[static_cast<size_t>(blockIdx.x) * k + rank] = col;
}

extern "C" void topk_rows(const float* x, float* values, int* indices, int rows, int cols, int k) {
  rank_kernel<<<dim3(rows, (cols + 127) / 128), 128>>>(x, values, indices, cols, k);
}
