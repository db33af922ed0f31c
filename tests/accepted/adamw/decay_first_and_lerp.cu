// The decay first, as a factor; both moments as a linear interpolation; fast root and division.
#include <cuda_runtime.h>

__global__ void adamw_kernel(float* parameter, const float* gradient, float* m, float* v, int n,
                             float lr, float beta1, float beta2, float eps, float weight_decay,
                             int step) {
  const int threads = gridDim.x * blockDim.x;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += threads) {
    const float g = gradient[i];
    parameter[i] *= 1.0f - lr * weight_decay;
    m[i] += (1.0f - beta1) * (g - m[i]);
    v[i] = fmaf(1.0f - beta2, g * g - v[i], v[i]);
    const float root = __fsqrt_rn(__fdividef(v[i], 1.0f - powf(beta2, step)));
    parameter[i] -= __fdividef(lr / (1.0f - powf(beta1, step)) * m[i], root + eps);
  }
}

extern "C" void adamw(float* parameter, const float* gradient, float* m, float* v, int n, float lr,
                      float beta1, float beta2, float eps, float weight_decay, int step) {
  adamw_kernel<<<7, 192>>>(parameter, gradient, m, v, n, lr, beta1, beta2, eps, weight_decay, step);
}
