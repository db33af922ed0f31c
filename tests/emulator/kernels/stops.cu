// Kernels that end themselves.
#include <assert.h>

#include "expect.cuh"

__global__ void asserts(int* out, int n) {
  assert(n > 0 && "one argument with, a comma" != nullptr);
  assert(n < 10);  // line 8
  out[0] = n;
}
__global__ void traps(int* out) {
  if (out != nullptr) __trap();  // line 12
  out[0] = 1;
}

static void fixture() {
  assert(true);
  {
    Values<int, 1> out;
    asserts<<<1, 1>>>(out.device, 5);
    EXPECT(out.get()[0] == 5);
    asserts<<<1, 1>>>(out.device, 10);
    EXPECT(cudaDeviceSynchronize() == cudaErrorAssert);
  }
  cudaDeviceReset();
  {
    Values<int, 1> out;
    traps<<<1, 1>>>(out.device);
    EXPECT(cudaDeviceSynchronize() == cudaErrorLaunchFailure);
  }
  cudaDeviceReset();
}
