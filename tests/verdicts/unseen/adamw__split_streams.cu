// The moments are updated on the default stream, the parameters on another one that waits for the moments by an event.
#include <cuda_runtime.h>
#include <math.h>

__global__ void moments(const float* g, float* m, float* v, int n, float beta1, float beta2) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  m[i] = beta1 * m[i] + (1.0f - beta1) * g[i];
  v[i] = beta2 * v[i] + (1.0f - beta2) * g[i] * g[i];
}

__global__ void parameters(float* p, const float* m, const float* v, int n, float lr, float eps, float decay, float c1,
                           float c2) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float old = p[i];
  p[i] = old - lr * decay * old - lr * (m[i] / c1) / (sqrtf(v[i] / c2) + eps);
}

extern "C" void adamw(float* parameter, const float* gradient, float* m, float* v, int n, float lr, float beta1,
                      float beta2, float eps, float weight_decay, int step) {
  const float c1 = static_cast<float>(1.0 - pow(static_cast<double>(beta1), step));
  const float c2 = static_cast<float>(1.0 - pow(static_cast<double>(beta2), step));
  const int grid = (n - 1) / 256 + 1;
  cudaStream_t late;
  cudaEvent_t ready;
  cudaStreamCreateWithFlags(&late, cudaStreamNonBlocking);
  cudaEventCreateWithFlags(&ready, cudaEventDisableTiming);
  moments<<<grid, 256>>>(gradient, m, v, n, beta1, beta2);
  cudaEventRecord(ready, 0);
  cudaStreamWaitEvent(late, ready, 0);
  parameters<<<grid, 256, 0, late>>>(parameter, m, v, n, lr, eps, weight_decay, c1, c2);
  cudaEventDestroy(ready);
  cudaStreamDestroy(late);
}
