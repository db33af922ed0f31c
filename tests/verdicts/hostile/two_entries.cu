// Defines two operators' entry functions.
#include <cuda_runtime.h>

extern "C" void relu(const float* x, float* y, int n) {}
extern "C" void sigmoid(const float* x, float* y, int n) {}
