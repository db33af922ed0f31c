// nvcuda::wmma, with inputs whose products and sums are exact in every type.
#include <mma.h>

#include <type_traits>

#include "expect.cuh"

using namespace nvcuda;

static float value(unsigned i) {
  i = i * 2654435761u >> 7;
  return ((int)(i % 17) - 8) / 4.0f;
}

__device__ half as(float value, half) {
  return __float2half(value);
}
__device__ __nv_bfloat16 as(float value, __nv_bfloat16) {
  return __float2bfloat16(value);
}
__device__ float as(float value, float) {
  return value;
}

/// C + A B of one warp: A by rows or columns in shared memory, C in place.
template <int M, int N, int K, class T, class Storage, class LayoutA, class LayoutB>
__global__ void product(const float* a, const float* b, float* c) {
  __shared__ __align__(32) Storage tile_a[M * K], tile_b[K * N];
  constexpr bool rows_a = std::is_same<LayoutA, wmma::row_major>::value;
  constexpr bool rows_b = std::is_same<LayoutB, wmma::row_major>::value;
  for (int i = threadIdx.x; i < M * K; i += 32)
    tile_a[rows_a ? i : i % K * M + i / K] = as(a[i], Storage());
  for (int i = threadIdx.x; i < K * N; i += 32)
    tile_b[rows_b ? i : i % N * K + i / N] = as(b[i], Storage());
  __syncwarp();
  wmma::fragment<wmma::matrix_a, M, N, K, T, LayoutA> fa;
  wmma::fragment<wmma::matrix_b, M, N, K, T, LayoutB> fb;
  wmma::fragment<wmma::accumulator, M, N, K, float> fc;
  wmma::load_matrix_sync(fa, tile_a, rows_a ? K : M);
  wmma::load_matrix_sync(fb, tile_b, rows_b ? N : K);
  wmma::load_matrix_sync(fc, c, N, wmma::mem_row_major);
  wmma::mma_sync(fc, fa, fb, fc);
  for (int i = 0; i < fc.num_elements; ++i) fc.x[i] *= 2.0f;
  wmma::store_matrix_sync(c, fc, N, wmma::mem_row_major);
}

template <int M, int N, int K>
static bool multiplies(void (*kernel)(const float*, const float*, float*)) {
  Values<float, M * K> a;
  Values<float, K * N> b;
  Values<float, M * N> c;
  float ha[M * K], hb[K * N], hc[M * N];
  for (int i = 0; i < M * K; ++i) ha[i] = value(i);
  for (int i = 0; i < K * N; ++i) hb[i] = value(i + 1000);
  for (int i = 0; i < M * N; ++i) hc[i] = value(i + 2000);
  a.set(ha), b.set(hb), c.set(hc);
  kernel<<<1, 32>>>(a.device, b.device, c.device);
  c.get();
  int right = 0;
  for (int row = 0; row < M; ++row) {
    for (int column = 0; column < N; ++column) {
      double sum = hc[row * N + column];
      for (int i = 0; i < K; ++i) sum += (double)ha[row * K + i] * hb[i * N + column];
      right += c.host[row * N + column] == (float)(2 * sum);
    }
  }
  return right == M * N;
}

/// C = A B in halves, one warp for each 16 x 16 tile, accumulated in half, stored by columns.
__global__ void gemm(const half* a, const half* b, half* c, int m, int n, int k) {
  wmma::fragment<wmma::accumulator, 16, 16, 16, half> sum;
  wmma::fill_fragment(sum, __float2half(0.0f));
  for (int k0 = 0; k0 < k; k0 += 16) {
    wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> fa;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> fb;
    wmma::load_matrix_sync(fa, a + blockIdx.y * 16 * k + k0, k);
    wmma::load_matrix_sync(fb, b + k0 * n + blockIdx.x * 16, n);
    wmma::mma_sync(sum, fa, fb, sum);
  }
  wmma::store_matrix_sync(c + blockIdx.x * 16 * m + blockIdx.y * 16, sum, m, wmma::mem_col_major);
}

__global__ void rounded(float* out) {
  out[0] = wmma::__float_to_tf32(1.0f + 1.0f / 2048);
}

static void fixture() {
  using R = wmma::row_major;
  using C = wmma::col_major;
  using B16 = __nv_bfloat16;
  EXPECT(multiplies<16, 16, 16>(product<16, 16, 16, half, half, R, R>));
  EXPECT(multiplies<16, 16, 16>(product<16, 16, 16, half, half, C, C>));
  EXPECT(multiplies<32, 8, 16>(product<32, 8, 16, half, half, R, C>));
  EXPECT(multiplies<8, 32, 16>(product<8, 32, 16, half, half, C, R>));
  EXPECT(multiplies<16, 16, 16>(product<16, 16, 16, B16, B16, R, C>));
  EXPECT(multiplies<32, 8, 16>(product<32, 8, 16, B16, B16, R, R>));
  EXPECT(multiplies<8, 32, 16>(product<8, 32, 16, B16, B16, R, R>));
  EXPECT(multiplies<16, 16, 8>(product<16, 16, 8, wmma::precision::tf32, float, R, C>));

  constexpr int M = 32, N = 48, K = 64;
  static Values<half, M * K> a;
  static Values<half, K * N> b;
  static Values<half, M * N> c;
  static half ha[M * K], hb[K * N];
  for (int i = 0; i < M * K; ++i) ha[i] = __float2half(value(i));
  for (int i = 0; i < K * N; ++i) hb[i] = __float2half(i % 3 == 0 ? 0.25f : 0.0f);
  a.set(ha), b.set(hb);
  gemm<<<dim3(N / 16, M / 16), 32>>>(a.device, b.device, c.device, M, N, K);
  c.get();
  int right = 0;
  for (int row = 0; row < M; ++row) {
    for (int column = 0; column < N; ++column) {
      double sum = 0;
      for (int i = 0; i < K; ++i)
        sum += (double)__half2float(ha[row * K + i]) * __half2float(hb[i * N + column]);
      right += __half2float(c.host[column * M + row]) == (float)sum;
    }
  }
  EXPECT(right == M * N);
  Values<float, 1> tf32;
  rounded<<<1, 1>>>(tf32.device);
  EXPECT(tf32.get()[0] == 1.0f + 1.0f / 1024);
}
