// Host code that dereferences null.
#include <cuda_runtime.h>

extern "C" void relu(const float* x, float* y, int n) {
  volatile int* nowhere = nullptr;
  *nowhere = n;
}
