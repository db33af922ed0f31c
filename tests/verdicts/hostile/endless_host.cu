// Host code that never returns.
#include <cuda_runtime.h>

extern "C" void relu(const float* x, float* y, int n) {
  for (volatile int i = 0;; i = i + 1) {
  }
}
