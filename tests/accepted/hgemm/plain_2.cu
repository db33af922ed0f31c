// A plain kernel. faults.toml plants mistakes in it.
#include <cuda_fp16.h>
#include <cuda_runtime.h>

__global__ void hgemm_kernel(const __half* A, const __half* B, __half* C, int M, int N, int K,
                             float alpha, float beta) {
  __shared__ __align__(16) __half a[16][16], b[16][8];
  const int lane = threadIdx.x, row0 = blockIdx.y * 16, col0 = blockIdx.x * 8;
  const __half zero = __float2half(0.0f);
  float d[4] = {};
  for (int k0 = 0; k0 < K; k0 += 16) {
    for (int i = lane; i < 256; i += 32) {
      const int row = row0 + i / 16, k = k0 + i % 16;
      a[i / 16][i % 16] = row < M && k < K ? A[row * K + k] : zero;
    }
    for (int i = lane; i < 128; i += 32) {
      const int k = k0 + i / 8, col = col0 + i % 8;
      b[i / 8][i % 8] = k < K && col < N ? B[k * N + col] : zero;
    }
    __syncwarp();
    unsigned ra[4] = {}, rb[2] = {};
    const int cell = lane / 16;
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(ra[0]), "=r"(ra[1]), "=r"(ra[2]), "=r"(ra[3])
                 : "r"((unsigned)__cvta_generic_to_shared(&a[lane % 16][8 * cell])));
    asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0, %1}, [%2];"
                 : "=r"(rb[0]), "=r"(rb[1])
                 : "r"((unsigned)__cvta_generic_to_shared(&b[lane % 16][0])));
    asm volatile(
        "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
        "{%8, %9}, {%0, %1, %2, %3};"
        : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
        : "r"(ra[0]), "r"(ra[1]), "r"(ra[2]), "r"(ra[3]), "r"(rb[0]), "r"(rb[1]));
    __syncwarp();
  }
  for (int i = 0; i < 4; ++i) {
    const int row = row0 + lane / 4 + i / 2 * 8, col = col0 + lane % 4 * 2 + i % 2;
    if (row >= M || col >= N) continue;
    const float old = beta == 0.0f ? 0.0f : __half2float(C[row * N + col]);
    C[row * N + col] = __float2half(alpha * d[i] + beta * old);
  }
}

extern "C" void hgemm(const __half* A, const __half* B, __half* C, int M, int N, int K, float alpha,
                      float beta) {
  hgemm_kernel<<<dim3((N + 7) / 8, (M + 15) / 16), 32>>>(A, B, C, M, N, K, alpha, beta);
}
