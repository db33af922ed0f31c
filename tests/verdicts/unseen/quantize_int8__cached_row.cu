// A block per row keeps the row in dynamic shared memory, so that global memory is read once.
#include <cuda_runtime.h>

__global__ void cached(const float* x, signed char* q, float* scale, int cols) {
  extern __shared__ float row[];
  __shared__ float top[256];
  const int t = threadIdx.x;
  const size_t base = static_cast<size_t>(blockIdx.x) * cols;
  float m = 0.0f;
  for (int c = t; c < cols; c += 256) {
    row[c] = x[base + c];
    m = fmaxf(m, fabsf(row[c]));
  }
  top[t] = m;
  __syncthreads();
  for (int d = 128; d > 0; d /= 2) {
    if (t < d) top[t] = fmaxf(top[t], top[t + d]);
    __syncthreads();
  }
  const float s = top[0] == 0.0f ? 1.0f : top[0] / 127.0f;
  if (t == 0) scale[blockIdx.x] = s;
  for (int c = t; c < cols; c += 256) q[base + c] = static_cast<signed char>(rintf(fminf(fmaxf(row[c] / s, -127.0f), 127.0f)));
}

extern "C" void quantize_int8(const float* x, signed char* q, float* scale, int rows, int cols) {
  cached<<<rows, 256, cols * sizeof(float)>>>(x, q, scale, cols);
}
