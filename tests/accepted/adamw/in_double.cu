// All arithmetic in double, one thread per element.
#include <cuda_runtime.h>

__global__ void adamw_kernel(float* parameter, const float* gradient, float* m, float* v, int n,
                             double lr, double beta1, double beta2, double eps, double weight_decay,
                             int step) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const double g = gradient[i], p = parameter[i];
  const double new_m = beta1 * m[i] + (1 - beta1) * g;
  const double new_v = beta2 * v[i] + (1 - beta2) * g * g;
  const double m_hat = new_m / (1 - pow(beta1, step));
  const double v_hat = new_v / (1 - pow(beta2, step));
  m[i] = new_m;
  v[i] = new_v;
  parameter[i] = p - lr * (weight_decay * p + m_hat / (sqrt(v_hat) + eps));
}

extern "C" void adamw(float* parameter, const float* gradient, float* m, float* v, int n, float lr,
                      float beta1, float beta2, float eps, float weight_decay, int step) {
  adamw_kernel<<<(n + 127) / 128, 128>>>(parameter, gradient, m, v, n, lr, beta1, beta2, eps,
                                         weight_decay, step);
}
