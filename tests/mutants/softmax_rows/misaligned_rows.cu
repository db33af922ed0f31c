// Fault: float4 loads from every row, which starts at a multiple of 16 bytes only if cols % 4 is 0.
#include <cuda_runtime.h>

__global__ void softmax_rows_kernel(const float* x, float* y, int cols) {
  x += blockIdx.x * cols;
  y += blockIdx.x * cols;
  const int lane = threadIdx.x, vectors = cols / 4;
  float best = -INFINITY, sum = 0.0f;
  for (int v = lane; v < vectors; v += 32) {
    const float4 four = reinterpret_cast<const float4*>(x)[v];
    best = fmaxf(best, fmaxf(fmaxf(four.x, four.y), fmaxf(four.z, four.w)));
  }
  for (int col = 4 * vectors + lane; col < cols; col += 32) best = fmaxf(best, x[col]);
  for (int o = 16; o > 0; o /= 2) best = fmaxf(best, __shfl_xor_sync(~0u, best, o));
  for (int col = lane; col < cols; col += 32) sum += expf(x[col] - best);
  for (int o = 16; o > 0; o /= 2) sum += __shfl_xor_sync(~0u, sum, o);
  for (int col = lane; col < cols; col += 32) y[col] = expf(x[col] - best) / sum;
}

extern "C" void softmax_rows(const float* x, float* y, int rows, int cols) {
  softmax_rows_kernel<<<rows, 32>>>(x, y, cols);
}
