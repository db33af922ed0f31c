// A plain kernel: a block per head, a thread per column of the state, token by token.
// faults.toml plants mistakes in it.
#include <cuda_fp16.h>

__global__ void column_kernel(const __half* Q, const __half* K, const __half* V, const float* decay,
                              __half* O, int heads, int length, int dim) {
  const int col = threadIdx.x;
  const float factor = decay[blockIdx.x % heads];
  const float scale = 1.0f / sqrtf(static_cast<float>(dim));
  float state[128];
  for (int c = 0; c < dim; ++c) state[c] = 0.0f;
  for (int i = 0; i < length; ++i) {
    const size_t row = (static_cast<size_t>(blockIdx.x) * length + i) * dim;
    const float v = __half2float(V[row + col]);
    float sum = 0.0f;
    for (int c = 0; c < dim; ++c) {
      state[c] = factor * state[c] + __half2float(K[row + c]) * v;
      sum += __half2float(Q[row + c]) * state[c];
    }
    O[row + col] = __float2half(scale * sum);
  }
}

extern "C" void linear_attention(const __half* Q, const __half* K, const __half* V,
                                 const float* decay, __half* O, int batch, int heads, int length,
                                 int dim) {
  column_kernel<<<batch * heads, dim>>>(Q, K, V, decay, O, heads, length, dim);
}
