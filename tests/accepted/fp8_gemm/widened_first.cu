// Both matrices become halves first, in memory that stays; a tile of 16 x 16 results in double, and
// a block of K for each z of the grid, added up by atomics in float.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>

__half* halves = nullptr;
float* sums = nullptr;
size_t room_of_halves = 0, room_of_sums = 0;

__global__ void widen(const __nv_fp8x2_e4m3* x, __half2* y, size_t pairs) {
  const size_t i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < pairs) y[i] = __half2(x[i]);
}

__global__ void product(const __half* A, const __half* B, const float* scale_a,
                        const float* scale_b, float* sums, int M, int N, int K) {
  __shared__ __half a[16][16], b[16][16];
  const int x = threadIdx.x, y = threadIdx.y, q = blockIdx.z;
  const int row = blockIdx.y * 16 + y, col = blockIdx.x * 16 + x, b_row = blockIdx.x * 16 + y;
  double sum = 0;
  for (int k0 = q * 128; k0 < q * 128 + 128; k0 += 16) {
    a[y][x] = row < M ? A[static_cast<size_t>(row) * K + k0 + x] : __half(0.0f);
    b[y][x] = b_row < N ? B[static_cast<size_t>(b_row) * K + k0 + x] : __half(0.0f);
    __syncthreads();
    for (int k = 0; k < 16; ++k) sum += __half2float(a[y][k]) * __half2float(b[x][k]);
    __syncthreads();
  }
  if (row >= M || col >= N) return;
  const float scale = scale_a[static_cast<size_t>(q) * M + row] * scale_b[col / 128 * (K / 128) + q];
  atomicAdd(&sums[static_cast<size_t>(row) * N + col], static_cast<float>(scale * sum));
}

__global__ void narrow(const float* sums, __nv_bfloat16* C, size_t count) {
  const size_t i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) C[i] = __float2bfloat16(sums[i]);
}

extern "C" void fp8_gemm(const __nv_fp8_e4m3* A, const __nv_fp8_e4m3* B, const float* scale_a,
                         const float* scale_b, __nv_bfloat16* C, int M, int N, int K) {
  const size_t of_a = static_cast<size_t>(M) * K, of_b = static_cast<size_t>(N) * K;
  const size_t results = static_cast<size_t>(M) * N;
  if (room_of_halves < of_a + of_b) {
    cudaFree(halves);
    cudaMalloc(&halves, (of_a + of_b) * sizeof(__half));
    room_of_halves = of_a + of_b;
  }
  if (room_of_sums < results) {
    cudaFree(sums);
    cudaMalloc(&sums, results * sizeof(float));
    room_of_sums = results;
  }
  const auto widen_all = [](const __nv_fp8_e4m3* x, __half* y, size_t count) {
    widen<<<(count / 2 + 255) / 256, 256>>>(reinterpret_cast<const __nv_fp8x2_e4m3*>(x),
                                            reinterpret_cast<__half2*>(y), count / 2);
  };
  widen_all(A, halves, of_a);
  widen_all(B, halves + of_a, of_b);
  cudaMemsetAsync(sums, 0, results * sizeof(float));
  product<<<dim3((N + 15) / 16, (M + 15) / 16, K / 128), dim3(16, 16)>>>(
      halves, halves + of_a, scale_a, scale_b, sums, M, N, K);
  narrow<<<(results + 255) / 256, 256>>>(sums, C, results);
}
