// A thread per result, one after the other in a grid-stride loop; the scales are in each product.
#include <cuda_bf16.h>
#include <cuda_fp8.h>

__global__ void product(const __nv_fp8_e4m3* A, const __nv_fp8_e4m3* B, const float* scale_a,
                        const float* scale_b, __nv_bfloat16* C, int M, int N, int K) {
  for (size_t i = blockIdx.x * blockDim.x + threadIdx.x; i < static_cast<size_t>(M) * N;
       i += gridDim.x * blockDim.x) {
    const int row = i / N, col = i % N;
    float sum = 0;
    for (int k = 0; k < K; ++k) {
      const int q = k / 128;
      const float a = float(A[static_cast<size_t>(row) * K + k]) * scale_a[static_cast<size_t>(q) * M + row];
      const float b = float(B[static_cast<size_t>(col) * K + k]) * scale_b[static_cast<size_t>(col / 128) * (K / 128) + q];
      sum += a * b;
    }
    C[i] = __float2bfloat16(sum);
  }
}

extern "C" void fp8_gemm(const __nv_fp8_e4m3* A, const __nv_fp8_e4m3* B, const float* scale_a,
                         const float* scale_b, __nv_bfloat16* C, int M, int N, int K) {
  product<<<120, 128>>>(A, B, scale_a, scale_b, C, M, N, K);
}
