// adamw: one optimiser step on n parameters, with decoupled weight decay. parameter, m and v are
// updated in place; gradient is read only.
//   m = beta1 m + (1 - beta1) g              mhat = m / (1 - beta1^step)
//   v = beta2 v + (1 - beta2) g^2            vhat = v / (1 - beta2^step)
//   p = p - lr weight_decay p - lr mhat / (sqrt(vhat) + eps)
//
// n is at least 1 and need not be a multiple of anything. step counts from 1.
// Given: one thread per element, 256 threads per block. You may change the launch and add helpers.
// Check it: harness/kata check adamw   or   ctest -R adamw
#include <kata/kata.h>

__global__ void adamw_kernel(float* parameter, const float* gradient, float* m, float* v, int n,
                             float lr, float beta1, float beta2, float eps, float weight_decay,
                             int step) {
  // your code
}

extern "C" void adamw(float* parameter, const float* gradient, float* m, float* v, int n, float lr,
                      float beta1, float beta2, float eps, float weight_decay, int step) {
  const int threads = 256;
  const int grid = kata::ceil_div(n, threads);
  adamw_kernel<<<grid, threads>>>(parameter, gradient, m, v, n, lr, beta1, beta2, eps, weight_decay,
                                  step);
}
