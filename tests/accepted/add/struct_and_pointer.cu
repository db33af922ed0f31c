// Arguments in a struct, the operation behind a function pointer, and two operators in one file.
#include <cuda_runtime.h>

using Operation = float (*)(float, float);

struct Vectors {
  const float* left;
  const float* right;
  float* result;
  int n;
};

__device__ float plus(float a, float b) {
  return a + b;
}
__device__ float larger(float a, float b) {
  return a > b ? a : b;
}

__global__ void combine(Vectors v, bool take_sum) {
  const Operation operation = take_sum ? plus : larger;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < v.n; i += gridDim.x * blockDim.x)
    v.result[i] = operation(v.left[i], v.right ? v.right[i] : 0.0f);
}

extern "C" void add(const float* a, const float* b, float* c, int n) {
  combine<<<3, 256>>>(Vectors{a, b, c, n}, true);
}

extern "C" void relu(const float* x, float* y, int n) {
  combine<<<3, 256>>>(Vectors{x, nullptr, y, n}, false);
}
