// Fault: float4 for n / 4 vectors; the last n % 4 elements are never updated.
#include <cuda_runtime.h>

__global__ void adamw_kernel(float* parameter, const float* gradient, float* m, float* v, int n,
                             float lr, float beta1, float beta2, float eps, float weight_decay,
                             float correction1, float correction2) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n / 4) return;
  const float4 g4 = reinterpret_cast<const float4*>(gradient)[i];
  float4 p4 = reinterpret_cast<float4*>(parameter)[i];
  float4 m4 = reinterpret_cast<float4*>(m)[i];
  float4 v4 = reinterpret_cast<float4*>(v)[i];
  const auto update = [&](float& p, float g, float& m, float& v) {
    m = beta1 * m + (1.0f - beta1) * g;
    v = beta2 * v + (1.0f - beta2) * g * g;
    p -= lr * weight_decay * p + lr * (m / correction1 / (sqrtf(v / correction2) + eps));
  };
  update(p4.x, g4.x, m4.x, v4.x);
  update(p4.y, g4.y, m4.y, v4.y);
  update(p4.z, g4.z, m4.z, v4.z);
  update(p4.w, g4.w, m4.w, v4.w);
  reinterpret_cast<float4*>(parameter)[i] = p4;
  reinterpret_cast<float4*>(m)[i] = m4;
  reinterpret_cast<float4*>(v)[i] = v4;
}

extern "C" void adamw(float* parameter, const float* gradient, float* m, float* v, int n, float lr,
                      float beta1, float beta2, float eps, float weight_decay, int step) {
  adamw_kernel<<<(n + 1023) / 1024, 256>>>(parameter, gradient, m, v, n, lr, beta1, beta2, eps,
                                           weight_decay, 1.0f - powf(beta1, step),
                                           1.0f - powf(beta2, step));
}
