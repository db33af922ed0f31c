// Hyperparameters in constant memory, powers by repeated squaring, elements staged in shared
// memory.
#include <cuda_runtime.h>

struct Hyperparameters {
  float lr, beta1, beta2, eps, weight_decay;
  double correction1, correction2;
};

__constant__ Hyperparameters h;

__global__ void adamw_kernel(float* parameter, const float* gradient, float* m, float* v, int n) {
  __shared__ float tile[4][64];
  const int tid = threadIdx.x, i = blockIdx.x * 64 + tid % 64;
  float* const arrays[] = {parameter, m, v};
  if (i < n) tile[tid / 64][tid % 64] = tid < 192 ? arrays[tid / 64][i] : gradient[i];
  __syncthreads();
  if (tid >= 64 || i >= n) return;
  const float p = tile[0][tid], g = tile[3][tid];
  const float new_m = h.beta1 * tile[1][tid] + (1.0f - h.beta1) * g;
  const float new_v = h.beta2 * tile[2][tid] + (1.0f - h.beta2) * g * g;
  const float update = new_m / float(h.correction1) / (sqrtf(new_v / float(h.correction2)) + h.eps);
  m[i] = new_m;
  v[i] = new_v;
  parameter[i] = p - h.lr * (h.weight_decay * p + update);
}

static double power(double base, int exponent) {
  double result = 1;
  for (; exponent > 0; exponent /= 2, base *= base) result *= exponent % 2 ? base : 1;
  return result;
}

extern "C" void adamw(float* parameter, const float* gradient, float* m, float* v, int n, float lr,
                      float beta1, float beta2, float eps, float weight_decay, int step) {
  const Hyperparameters values = {
      lr, beta1, beta2, eps, weight_decay, 1 - power(beta1, step), 1 - power(beta2, step)};
  cudaMemcpyToSymbol(h, &values, sizeof(values));
  adamw_kernel<<<(n + 63) / 64, 256>>>(parameter, gradient, m, v, n);
}
