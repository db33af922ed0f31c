// The entry has C++ linkage.
#include <cuda_runtime.h>

void relu(const float* x, float* y, int n) {}
