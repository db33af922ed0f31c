// mma.m16n8k8 with fragments loaded straight from device memory: no shared memory, no ldmatrix.
#include <cuda_fp16.h>
#include <cuda_runtime.h>

__device__ unsigned pair(__half low, __half high) {
  return static_cast<unsigned>(__half_as_ushort(high)) << 16 | __half_as_ushort(low);
}

__global__ void hgemm_kernel(const __half* A, const __half* B, __half* C, int M, int N, int K,
                             float alpha, float beta) {
  const int group = threadIdx.x / 4, place = threadIdx.x % 4 * 2;
  const int row = blockIdx.y * 16 + group, col = blockIdx.x * 8;
  const auto a = [&](int r, int k) {
    return r < M && k < K ? A[static_cast<size_t>(r) * K + k] : __half();
  };
  const auto b = [&](int k, int c) {
    return k < K && c < N ? B[static_cast<size_t>(k) * N + c] : __half();
  };
  float d[4] = {};
  for (int k = place; k < K + place; k += 8) {
    asm("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5}, {%6}, "
        "{%0, %1, %2, %3};"
        : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
        : "r"(pair(a(row, k), a(row, k + 1))), "r"(pair(a(row + 8, k), a(row + 8, k + 1))),
          "r"(pair(b(k, col + group), b(k + 1, col + group))));
  }
  for (int i = 0; i < 4; ++i) {
    const int r = row + i / 2 * 8, c = col + place + i % 2;
    if (r >= M || c >= N) continue;
    __half* at = C + static_cast<size_t>(r) * N + c;
    *at = __float2half(beta == 0.0f ? alpha * d[i] : fmaf(beta, __half2float(*at), alpha * d[i]));
  }
}

extern "C" void hgemm(const __half* A, const __half* B, __half* C, int M, int N, int K, float alpha,
                      float beta) {
  hgemm_kernel<<<dim3((N + 7) / 8, (M + 15) / 16), 32>>>(A, B, C, M, N, K, alpha, beta);
}
