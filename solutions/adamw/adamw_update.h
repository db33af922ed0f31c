#pragma once
// The AdamW update of one element, with everything that all elements share computed on the host.

#include <math.h>

struct AdamW {
  float beta1, beta2, eps;
  float step_size;   // lr / (1 - beta1^step)
  float root_scale;  // 1 / sqrt(1 - beta2^step)
  float decay;       // lr * weight_decay

  __device__ void update(float& p, float g, float& m, float& v) const {
    m = beta1 * m + (1.0f - beta1) * g;
    v = beta2 * v + (1.0f - beta2) * g * g;
    p = p - decay * p - step_size * (m / (sqrtf(v) * root_scale + eps));
  }
};

// In double: 1 - beta^step cancels in early steps.
inline AdamW adamw_constants(float lr, float beta1, float beta2, float eps, float weight_decay,
                             int step) {
  const double step_size = lr / (1.0 - pow(beta1, step));
  const double root_scale = 1.0 / sqrt(1.0 - pow(beta2, step));
  return {beta1,
          beta2,
          eps,
          static_cast<float>(step_size),
          static_cast<float>(root_scale),
          lr * weight_decay};
}
