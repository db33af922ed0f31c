// Finds the k-th largest key of value and column bit by bit: 64 counts over the row. Then exactly k
// keys reach it. They are stored where they are found, and sorted by exchanging neighbours.
#include <cuda_runtime.h>

using Key = unsigned long long;

__device__ Key key_of(float value, int col) {
  const unsigned bits = value == 0.0f ? 0u : __float_as_uint(value);
  const unsigned ordered = bits >> 31 ? ~bits : bits | 0x80000000u;
  return (Key(ordered) << 32) + (0x7fffffff - col);
}

__global__ void bisect_kernel(const float* x, float* values, int* indices, int cols, int k) {
  __shared__ int count;
  __shared__ Key winners[256];
  const int tid = threadIdx.x;
  const float* row = x + static_cast<size_t>(blockIdx.x) * cols;
  Key threshold = 0;
  for (int bit = 63; bit >= 0; --bit) {
    const Key trial = threshold | Key(1) << bit;
    if (tid == 0) count = 0;
    __syncthreads();
    int mine = 0;
    for (int c = tid; c < cols; c += blockDim.x) mine += key_of(row[c], c) >= trial;
    atomicAdd(&count, mine);
    __syncthreads();
    if (count >= k) threshold = trial;
    __syncthreads();
  }
  if (tid == 0) count = 0;
  __syncthreads();
  for (int c = tid; c < cols; c += blockDim.x) {
    const Key key = key_of(row[c], c);
    if (key >= threshold) winners[atomicAdd(&count, 1)] = key;
  }
  __syncthreads();
  for (int step = 0; step < k; ++step) {
    for (int i = 2 * tid + step % 2; i + 1 < k; i += 2 * blockDim.x) {
      if (winners[i] >= winners[i + 1]) continue;
      const Key smaller = winners[i];
      winners[i] = winners[i + 1];
      winners[i + 1] = smaller;
    }
    __syncthreads();
  }
  for (int i = tid; i < k; i += blockDim.x) {
    const int col = 0x7fffffff - static_cast<int>(winners[i] & 0x7fffffff);
    values[static_cast<size_t>(blockIdx.x) * k + i] = row[col];
    indices[static_cast<size_t>(blockIdx.x) * k + i] = col;
  }
}

extern "C" void topk_rows(const float* x, float* values, int* indices, int rows, int cols, int k) {
  bisect_kernel<<<rows, 64>>>(x, values, indices, cols, k);
}
