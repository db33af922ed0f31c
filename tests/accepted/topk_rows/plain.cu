// A plain kernel: a block per row, k rounds of an argmax over (value, column). faults.toml plants
// mistakes in it.
#include <cuda_runtime.h>
#include <math.h>

constexpr int THREADS = 128;

// Whether the first of two elements comes before the second in the result.
__device__ bool comes_before(float a, int i, float b, int j) {
  return a > b || (a == b && i < j);
}

__global__ void topk_kernel(const float* x, float* values, int* indices, int cols, int k) {
  __shared__ float best_value[THREADS];
  __shared__ int best_col[THREADS];
  const int tid = threadIdx.x;
  const float* row = x + static_cast<size_t>(blockIdx.x) * cols;
  float last_value = INFINITY;
  int last_col = -1;
  for (int r = 0; r < k; ++r) {
    float value = -INFINITY;
    int col = cols;  // after every real element
    for (int c = tid; c < cols; c += THREADS) {
      if (!comes_before(last_value, last_col, row[c], c)) continue;
      if (comes_before(row[c], c, value, col)) {
        value = row[c];
        col = c;
      }
    }
    best_value[tid] = value;
    best_col[tid] = col;
    __syncthreads();
    for (int half = THREADS / 2; half > 0; half /= 2) {
      if (tid < half && comes_before(best_value[tid + half], best_col[tid + half], best_value[tid],
                                     best_col[tid])) {
        best_value[tid] = best_value[tid + half];
        best_col[tid] = best_col[tid + half];
      }
      __syncthreads();
    }
    last_value = best_value[0];
    last_col = best_col[0];
    __syncthreads();
    if (tid == 0) {
      values[static_cast<size_t>(blockIdx.x) * k + r] = last_value;
      indices[static_cast<size_t>(blockIdx.x) * k + r] = last_col;
    }
  }
}

extern "C" void topk_rows(const float* x, float* values, int* indices, int rows, int cols, int k) {
  topk_kernel<<<rows, THREADS>>>(x, values, indices, cols, k);
}
