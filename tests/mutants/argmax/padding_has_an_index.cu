// Fault: threads past the end bring their own index with value 0, which may win.
#include <cuda_runtime.h>

__global__ void argmax_kernel(const float* x, int* index, int n) {
  __shared__ float values[256];
  __shared__ int indices[256];
  const int tid = threadIdx.x;
  values[tid] = tid < n ? x[tid] : 0.0f;
  indices[tid] = tid;
  for (int i = tid + 256; i < n; i += 256)
    if (x[i] > values[tid]) values[tid] = x[i], indices[tid] = i;
  __syncthreads();
  for (int s = 128; s > 0; s /= 2) {
    if (tid < s && (values[tid + s] > values[tid] ||
                    (values[tid + s] == values[tid] && indices[tid + s] < indices[tid]))) {
      values[tid] = values[tid + s];
      indices[tid] = indices[tid + s];
    }
    __syncthreads();
  }
  if (tid == 0) *index = indices[0];
}

extern "C" void argmax(const float* x, int* index, int n) {
  argmax_kernel<<<1, 256>>>(x, index, n);
}
