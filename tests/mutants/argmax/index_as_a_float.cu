// Fault: the index is kept as a float, which has no odd numbers above 2^24.
#include <cuda_runtime.h>

__global__ void argmax_kernel(const float* x, int* index, int n) {
  __shared__ float values[1024], indices[1024];
  float best = -INFINITY, at = n;
  for (int i = threadIdx.x; i < n; i += 1024) {
    if (x[i] > best) {
      best = x[i];
      at = i;
    }
  }
  values[threadIdx.x] = best;
  indices[threadIdx.x] = at;
  __syncthreads();
  for (int step = 512; step > 0; step /= 2) {
    if (threadIdx.x < step) {
      const float value = values[threadIdx.x + step], other = indices[threadIdx.x + step];
      if (value > values[threadIdx.x] ||
          (value == values[threadIdx.x] && other < indices[threadIdx.x])) {
        values[threadIdx.x] = value;
        indices[threadIdx.x] = other;
      }
    }
    __syncthreads();
  }
  if (threadIdx.x == 0) *index = static_cast<int>(indices[0]);
}

extern "C" void argmax(const float* x, int* index, int n) { argmax_kernel<<<1, 1024>>>(x, index, n); }
