// Fault: labels are kept in 16 bits, and there may be more classes.
#include <cuda_runtime.h>

__global__ void cross_entropy_kernel(const float* logits, const int* labels, float* loss, int n,
                                     int classes) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= n) return;
  const float* x = logits + static_cast<size_t>(row) * classes;
  const unsigned short label = labels[row];
  float max = -INFINITY, sum = 0;
  for (int i = 0; i < classes; ++i) max = fmaxf(max, x[i]);
  for (int i = 0; i < classes; ++i) sum += expf(x[i] - max);
  atomicAdd(loss, (logf(sum) + max - x[label]) / n);
}

extern "C" void cross_entropy(const float* logits, const int* labels, float* loss, int n,
                              int classes) {
  cudaMemsetAsync(loss, 0, sizeof(float));
  cross_entropy_kernel<<<(n + 127) / 128, 128>>>(logits, labels, loss, n, classes);
}
