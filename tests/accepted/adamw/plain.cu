// A plain kernel. faults.toml plants mistakes in it.
#include <cuda_runtime.h>

__global__ void adamw_kernel(float* parameter, const float* gradient, float* m, float* v, int n,
                             float lr, float beta1, float beta2, float eps, float weight_decay,
                             float correction1, float correction2) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float g = gradient[i], p = parameter[i];
  m[i] = beta1 * m[i] + (1.0f - beta1) * g;
  v[i] = beta2 * v[i] + (1.0f - beta2) * g * g;
  const float update = m[i] / correction1 / (sqrtf(v[i] / correction2) + eps);
  parameter[i] = p - lr * weight_decay * p - lr * update;
}

extern "C" void adamw(float* parameter, const float* gradient, float* m, float* v, int n, float lr,
                      float beta1, float beta2, float eps, float weight_decay, int step) {
  adamw_kernel<<<(n + 255) / 256, 256>>>(parameter, gradient, m, v, n, lr, beta1, beta2, eps,
                                         weight_decay, 1.0f - powf(beta1, step),
                                         1.0f - powf(beta2, step));
}
