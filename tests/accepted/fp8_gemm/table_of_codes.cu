// A table of the 256 codes' numbers in shared memory, made by hand from their bits; a row of a block
// computes 48 results of a row of C.
#include <cuda_bf16.h>
#include <cuda_fp8.h>

__device__ float number_of(int code) {
  const int exponent = code >> 3 & 15, fraction = code & 7;
  const float size = exponent == 0 ? ldexpf(fraction, -9) : ldexpf(8 + fraction, exponent - 10);
  return code & 128 ? -size : size;
}

__global__ void product(const unsigned char* A, const unsigned char* B, const float* scale_a,
                        const float* scale_b, __nv_bfloat16* C, int M, int N, int K) {
  __shared__ float table[256];
  for (int code = threadIdx.x; code < 256; code += blockDim.x) table[code] = number_of(code);
  __syncthreads();
  const int row = blockIdx.x, col = blockIdx.y * 48 + threadIdx.x;
  if (col >= N) return;
  float total = 0;
  for (int q = 0; q < K / 128; ++q) {
    float sum = 0;
    for (int k = q * 128; k < q * 128 + 128; ++k) {
      sum += table[A[static_cast<size_t>(row) * K + k]] * table[B[static_cast<size_t>(col) * K + k]];
    }
    total += sum * scale_a[static_cast<size_t>(q) * M + row] * scale_b[col / 128 * (K / 128) + q];
  }
  C[static_cast<size_t>(row) * N + col] = __float2bfloat16_rn(total);
}

extern "C" void fp8_gemm(const __nv_fp8_e4m3* A, const __nv_fp8_e4m3* B, const float* scale_a,
                         const float* scale_b, __nv_bfloat16* C, int M, int N, int K) {
  product<<<dim3(M, (N + 47) / 48), 48>>>(reinterpret_cast<const unsigned char*>(A),
                                          reinterpret_cast<const unsigned char*>(B), scale_a,
                                          scale_b, C, M, N, K);
}
