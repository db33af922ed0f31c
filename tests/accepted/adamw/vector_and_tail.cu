// Both corrections in double on the host; four parameters per thread and a second launch for the last one to three.
#include <cmath>
#include <kata/kata.h>

namespace {
struct Constants {
  float lr, beta1, beta2, eps, decay, correction1, correction2;
};

__device__ void one(float& p, float g, float& m, float& v, const Constants& k) {
  m = k.beta1 * m + (1.0f - k.beta1) * g;
  v = k.beta2 * v + (1.0f - k.beta2) * g * g;
  const float mhat = m / k.correction1, vhat = v / k.correction2;
  p = p - k.lr * k.decay * p - k.lr * mhat / (sqrtf(vhat) + k.eps);
}

__global__ void quads_kernel(float4* p, const float4* g, float4* m, float4* v, int quads, Constants k) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= quads) return;
  float4 a = p[i], b = m[i], c = v[i];
  const float4 d = g[i];
  one(a.x, d.x, b.x, c.x, k);
  one(a.y, d.y, b.y, c.y, k);
  one(a.z, d.z, b.z, c.z, k);
  one(a.w, d.w, b.w, c.w, k);
  p[i] = a;
  m[i] = b;
  v[i] = c;
}

__global__ void tail_kernel(float* p, const float* g, float* m, float* v, int from, Constants k) {
  const int i = from + threadIdx.x;
  one(p[i], g[i], m[i], v[i], k);
}
}  // namespace

extern "C" void adamw(float* parameter, const float* gradient, float* m, float* v, int n, float lr, float beta1,
                      float beta2, float eps, float weight_decay, int step) {
  Constants k = {lr, beta1, beta2, eps, weight_decay, 0.0f, 0.0f};
  k.correction1 = static_cast<float>(1.0 - std::pow(static_cast<double>(beta1), step));
  k.correction2 = static_cast<float>(1.0 - std::pow(static_cast<double>(beta2), step));
  const int quads = n / 4;
  if (quads > 0)
    quads_kernel<<<kata::ceil_div(quads, 256), 256>>>(
        reinterpret_cast<float4*>(parameter), reinterpret_cast<const float4*>(gradient), reinterpret_cast<float4*>(m),
        reinterpret_cast<float4*>(v), quads, k);
  if (n % 4 != 0) tail_kernel<<<1, n % 4>>>(parameter, gradient, m, v, 4 * quads, k);
}
