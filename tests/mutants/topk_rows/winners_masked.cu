// Fault: winners are masked by -infinity in a copy of the row, and found again where the row is
// -infinity itself.
#include <cuda_runtime.h>
#include <math.h>

__global__ void topk_kernel(const float* x, float* copy, float* values, int* indices, int cols,
                            int k) {
  __shared__ float value[64];
  __shared__ int index[64];
  const int tid = threadIdx.x;
  const float* row = x + static_cast<size_t>(blockIdx.x) * cols;
  float* work = copy + static_cast<size_t>(blockIdx.x) * cols;
  for (int c = tid; c < cols; c += 64) work[c] = row[c];
  for (int r = 0; r < k; ++r) {
    float best = -INFINITY;
    int col = tid < cols ? tid : 0;
    for (int c = tid; c < cols; c += 64) {
      if (work[c] > best) best = work[c], col = c;
    }
    value[tid] = best, index[tid] = col;
    __syncthreads();
    if (tid == 0) {
      for (int t = 1; t < 64; ++t) {
        const bool wins = value[t] > best || (value[t] == best && index[t] < col);
        if (wins) best = value[t], col = index[t];
      }
      values[static_cast<size_t>(blockIdx.x) * k + r] = best;
      indices[static_cast<size_t>(blockIdx.x) * k + r] = col;
      work[col] = -INFINITY;
    }
    __syncthreads();
  }
}

extern "C" void topk_rows(const float* x, float* values, int* indices, int rows, int cols, int k) {
  float* copy;
  cudaMalloc(&copy, static_cast<size_t>(rows) * cols * sizeof(float));
  topk_kernel<<<rows, 64>>>(x, copy, values, indices, cols, k);
  cudaFree(copy);
}
