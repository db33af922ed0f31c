// What the others are compared with.
#include "relu.cuh"

extern "C" void relu(const float* x, float* y, int n) {
  honest(x, y, n);
}
