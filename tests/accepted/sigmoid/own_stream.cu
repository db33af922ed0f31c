// Runs on a stream of its own that first waits for the default one, and waits for it before returning.
#include <cuda_runtime.h>

__global__ void logistic(const float* x, float* y, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    const float v = x[i];
    const float e = expf(-fabsf(v));  // at most 1
    y[i] = v >= 0.0f ? 1.0f / (1.0f + e) : e / (1.0f + e);
  }
}

extern "C" void sigmoid(const float* x, float* y, int n) {
  cudaStream_t mine;
  cudaEvent_t before;
  cudaStreamCreateWithFlags(&mine, cudaStreamNonBlocking);
  cudaEventCreateWithFlags(&before, cudaEventDisableTiming);
  cudaEventRecord(before, 0);
  cudaStreamWaitEvent(mine, before, 0);
  const int grid = n < 320 * 4000 ? (n - 1) / 320 + 1 : 4000;
  logistic<<<grid, 320, 0, mine>>>(x, y, n);
  cudaStreamSynchronize(mine);
  cudaEventDestroy(before);
  cudaStreamDestroy(mine);
}
