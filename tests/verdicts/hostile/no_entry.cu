// Defines no operator's entry function.
#include <cuda_runtime.h>

extern "C" void something_else(const float* x, float* y, int n) {
  cudaMemcpy(y, x, n, cudaMemcpyDeviceToDevice);
}
