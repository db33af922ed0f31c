// Sums of two scaled products in half2, then in float; split K with atomics in double.
#include <cuda_fp16.h>
#include <cuda_runtime.h>

__device__ double* sums;

__global__ void clear_kernel(int M) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row < M) sums[row] = 0.0;
}

__global__ void gemv_kernel(const unsigned* W, const __half* scale, const __half* x, int M, int K) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x, group = blockIdx.y;
  if (row >= M) return;
  const __half2 s = __half2half2(scale[static_cast<size_t>(row) * (K / 128) + group]);
  const __half2* x2 = reinterpret_cast<const __half2*>(x);
  float sum = 0.0f;
  for (int i = 16 * group; i < 16 * (group + 1); ++i) {
    const unsigned word = W[static_cast<size_t>(row) * (K / 8) + i];
    for (int j = 0; j < 8; j += 4) {
      __half2 part = __float2half2_rn(0.0f);
      for (int k = j; k < j + 4; k += 2) {
        const int low = static_cast<int>(word >> (4 * k) & 15) - 8;
        const int high = static_cast<int>(word >> (4 * k + 4) & 15) - 8;
        const __half2 w = __hmul2(s, __floats2half2_rn(low, high));
        part = __hfma2(w, x2[4 * i + k / 2], part);
      }
      sum += __low2float(part) + __high2float(part);
    }
  }
  atomicAdd(&sums[row], static_cast<double>(sum));
}

__global__ void store_kernel(__half* y, int M) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row < M) y[row] = __double2half(sums[row]);
}

extern "C" void w4a16_gemv(const unsigned* W, const __half* scale, const __half* x, __half* y,
                           int M, int K) {
  double* memory = nullptr;
  cudaMalloc(&memory, M * sizeof(double));
  cudaMemcpyToSymbol(sums, &memory, sizeof(memory));
  const int grid = (M + 63) / 64;
  clear_kernel<<<grid, 64>>>(M);
  gemv_kernel<<<dim3(grid, K / 128), 64>>>(W, scale, x, M, K);
  store_kernel<<<grid, 64>>>(y, M);
  cudaFree(memory);
}
