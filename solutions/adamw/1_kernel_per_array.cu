// A kernel per array: one for m, one for v, one for the parameter.
//
// It is how a framework runs the formulas as they are written. The last kernel reads the new m and
// v again, so 40 bytes per element cross device memory (12 for m, 12 for v, 16 for the parameter)
// where 28 are necessary. The bias corrections divide by 1 - beta^step, never by 0: step starts
// at 1.
//
// Prediction: 40 bytes at 4.3 TB/s are 619 us at n = 2^26. Each thread has only 8 to 12 bytes in
// flight, as in the first rung of add (81 % of its limit): 740 us. Missed by 26 %.
// Measured: 930.3 us at 67108864x1000, 47 % of the limit (H200, 2026-11-23)
#include <kata/kata.h>

constexpr int THREADS = 256;

__global__ void first_moment_kernel(float* m, const float* gradient, int n, float beta1) {
  const int i = blockIdx.x * THREADS + threadIdx.x;
  if (i < n) m[i] = beta1 * m[i] + (1.0f - beta1) * gradient[i];
}

__global__ void second_moment_kernel(float* v, const float* gradient, int n, float beta2) {
  const int i = blockIdx.x * THREADS + threadIdx.x;
  if (i < n) v[i] = beta2 * v[i] + (1.0f - beta2) * gradient[i] * gradient[i];
}

__global__ void parameter_kernel(float* parameter, const float* m, const float* v, int n, float lr,
                                 float correction1, float correction2, float eps,
                                 float weight_decay) {
  const int i = blockIdx.x * THREADS + threadIdx.x;
  if (i >= n) return;
  const float update = (m[i] / correction1) / (sqrtf(v[i] / correction2) + eps);
  parameter[i] -= lr * (update + weight_decay * parameter[i]);  // decay of the old value
}

extern "C" void adamw(float* parameter, const float* gradient, float* m, float* v, int n, float lr,
                      float beta1, float beta2, float eps, float weight_decay, int step) {
  const int grid = kata::ceil_div(n, THREADS);
  const float correction1 = 1.0f - powf(beta1, step);
  const float correction2 = 1.0f - powf(beta2, step);
  first_moment_kernel<<<grid, THREADS>>>(m, gradient, n, beta1);
  second_moment_kernel<<<grid, THREADS>>>(v, gradient, n, beta2);
  parameter_kernel<<<grid, THREADS>>>(parameter, m, v, n, lr, correction1, correction2, eps,
                                      weight_decay);
}
