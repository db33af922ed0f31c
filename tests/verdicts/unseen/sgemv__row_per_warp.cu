// One warp per row, lanes stride along it, shuffles add the lanes up.
#include <kata/kata.h>

__global__ void warp_row(const float* A, const float* x, float* y, int M, int K) {
  const int row = blockIdx.x * blockDim.y + threadIdx.y;
  if (row >= M) return;
  const float* a = A + static_cast<size_t>(row) * K;
  float acc;
  for (int k = threadIdx.x; k < K; k += 32) acc = fmaf(a[k], x[k], acc);
  for (int d = 16; d > 0; d /= 2) acc += __shfl_xor_sync(0xffffffffu, acc, d);
  if (threadIdx.x == 0) y[row] = acc;
}

extern "C" void sgemv(const float* A, const float* x, float* y, int M, int K) {
  warp_row<<<kata::ceil_div(M, 8), dim3(32, 8)>>>(A, x, y, M, K);
}
