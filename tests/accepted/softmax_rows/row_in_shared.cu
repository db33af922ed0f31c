// A row that fits is kept in shared memory; one that does not is read again. Kahan adds up.
#include <cuda_runtime.h>

__global__ void rows_kernel(const float* x, float* y, int cols, bool keep) {
  extern __shared__ float kept[];
  __shared__ float best, sum;
  const float* in = x + static_cast<size_t>(blockIdx.x) * cols;
  float* out = y + static_cast<size_t>(blockIdx.x) * cols;
  if (keep) {
    for (int col = threadIdx.x; col < cols; col += blockDim.x) kept[col] = in[col];
  }
  __syncthreads();
  const auto at = [&](int col) { return keep ? kept[col] : in[col]; };
  if (threadIdx.x == 0) {
    best = at(0);
    for (int col = 1; col < cols; ++col) best = fmaxf(best, at(col));
    float total = 0.0f, lost = 0.0f;
    for (int col = 0; col < cols; ++col) {
      const float term = expf(at(col) - best) - lost;
      const float next = total + term;
      lost = (next - total) - term;
      total = next;
    }
    sum = total;
  }
  __syncthreads();
  for (int col = threadIdx.x; col < cols; col += blockDim.x)
    out[col] = __expf(at(col) - best) * __frcp_rn(sum);
}

extern "C" void softmax_rows(const float* x, float* y, int rows, int cols) {
  const bool keep = cols <= 4096;
  rows_kernel<<<rows, 64, keep ? cols * sizeof(float) : 0>>>(x, y, cols, keep);
}
