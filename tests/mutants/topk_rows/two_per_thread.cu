// Fault: each thread keeps its two best, as if the winners were spread over the threads.
#include <cuda_runtime.h>
#include <math.h>

__device__ bool comes_before(float a, int i, float b, int j) {
  return a > b || (a == b && i < j);
}

__global__ void topk_kernel(const float* x, float* values, int* indices, int cols, int k) {
  __shared__ float value[512];
  __shared__ int index[512];
  const int tid = threadIdx.x;
  const float* row = x + static_cast<size_t>(blockIdx.x) * cols;
  float first = -INFINITY, second = -INFINITY;
  int first_col = cols, second_col = cols;
  for (int c = tid; c < cols; c += 256) {
    if (comes_before(row[c], c, first, first_col)) {
      second = first, second_col = first_col;
      first = row[c], first_col = c;
    } else if (comes_before(row[c], c, second, second_col)) {
      second = row[c], second_col = c;
    }
  }
  value[tid] = first, index[tid] = first_col;
  value[tid + 256] = second, index[tid + 256] = second_col;
  __syncthreads();
  for (int i = tid; i < 512; i += 256) {
    if (index[i] == cols) continue;
    int rank = 0;
    for (int j = 0; j < 512; ++j) {
      rank += index[j] < cols && comes_before(value[j], index[j], value[i], index[i]);
    }
    if (rank >= k) continue;
    values[static_cast<size_t>(blockIdx.x) * k + rank] = value[i];
    indices[static_cast<size_t>(blockIdx.x) * k + rank] = index[i];
  }
}

extern "C" void topk_rows(const float* x, float* values, int* indices, int rows, int cols, int k) {
  topk_kernel<<<rows, 256>>>(x, values, indices, cols, k);
}
