// A warp per result: each lane takes four neighbouring elements of a block of K, and the warp adds
// up once, at the end.
#include <cuda_bf16.h>
#include <cuda_fp8.h>

__global__ void product(const __nv_fp8x4_e4m3* A, const __nv_fp8x4_e4m3* B, const float* scale_a,
                        const float* scale_b, __nv_bfloat16* C, int M, int N, int blocks) {
  const int lane = threadIdx.x % 32;
  const size_t result = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32;
  if (result >= static_cast<size_t>(M) * N) return;
  const int row = result / N, col = result % N;
  float sum = 0;
  for (int q = 0; q < blocks; ++q) {
    const float4 a = float4(A[(static_cast<size_t>(row) * blocks + q) * 32 + lane]);
    const float4 b = float4(B[(static_cast<size_t>(col) * blocks + q) * 32 + lane]);
    const float scale = scale_a[static_cast<size_t>(q) * M + row] * scale_b[col / 128 * blocks + q];
    sum += scale * (a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w);
  }
  for (int step = 16; step > 0; step /= 2) sum += __shfl_xor_sync(~0u, sum, step);
  if (lane == 0) C[result] = __float2bfloat16(sum);
}

extern "C" void fp8_gemm(const __nv_fp8_e4m3* A, const __nv_fp8_e4m3* B, const float* scale_a,
                         const float* scale_b, __nv_bfloat16* C, int M, int N, int K) {
  const size_t results = static_cast<size_t>(M) * N;
  product<<<(results + 3) / 4, 128>>>(reinterpret_cast<const __nv_fp8x4_e4m3*>(A),
                                      reinterpret_cast<const __nv_fp8x4_e4m3*>(B), scale_a, scale_b,
                                      C, M, N, K / 128);
}
