// Tensor core instructions in PTX: every element of every shape against a reference in double, with
// inputs whose products and sums are exact, and a matrix product as one would write it.
#include <cuda_fp16.h>
#include <cuda_fp8.h>

#include "expect.cuh"

/// Small multiples of 1/8, which all the types have.
static float value(unsigned i) {
  i = i * 2654435761u >> 7;
  return ((int)(i % 33) - 16) / 8.0f;
}

__device__ unsigned bf16_pair(const float* low, const float* high) {
  return __float_as_uint(*low) >> 16 | (__float_as_uint(*high) & 0xffff0000u);
}
__device__ unsigned half_pair(const float* low, const float* high) {
  return __half_as_ushort(__float2half(*low)) | (unsigned)__half_as_ushort(__float2half(*high))
                                                    << 16;
}

// A is 16 x k, B is k x 8, C is 16 x 8, all by rows. The lane's elements are where the PTX ISA's
// figures have them.
#define PLACE const int group = threadIdx.x / 4, place = threadIdx.x % 4 * 2
#define A(row, column) (a + (row)*K + (column))
#define B(row, column) (b + (row)*8 + (column))
#define C(row, column) (c + (row)*8 + (column))

template <bool bf16>
__global__ void k16(const float* a, const float* b, float* c) {
  constexpr int K = 16;
  PLACE;
  const auto pair = [](const float* low, const float* high) {
    return bf16 ? bf16_pair(low, high) : half_pair(low, high);
  };
  const unsigned a0 = pair(A(group, place), A(group, place + 1));
  const unsigned a1 = pair(A(group + 8, place), A(group + 8, place + 1));
  const unsigned a2 = pair(A(group, place + 8), A(group, place + 9));
  const unsigned a3 = pair(A(group + 8, place + 8), A(group + 8, place + 9));
  const unsigned b0 = pair(B(place, group), B(place + 1, group));
  const unsigned b1 = pair(B(place + 8, group), B(place + 9, group));
  float d[4] = {*C(group, place), *C(group, place + 1), *C(group + 8, place),
                *C(group + 8, place + 1)};
  if (bf16) {
    asm volatile(
        "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 "
        "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};\n"
        : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
        : "r"(a0), "r"(a1), "r"(a2), "r"(a3), "r"(b0), "r"(b1));
  } else {
    asm volatile(
        "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 "
        "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%10, %11, %12, %13};\n"
        : "=f"(d[0]), "=f"(d[1]), "=f"(d[2]), "=f"(d[3])
        : "r"(a0), "r"(a1), "r"(a2), "r"(a3), "r"(b0), "r"(b1), "f"(d[0]), "f"(d[1]), "f"(d[2]),
          "f"(d[3]));
  }
  *C(group, place) = d[0], *C(group, place + 1) = d[1];
  *C(group + 8, place) = d[2], *C(group + 8, place + 1) = d[3];
}

__global__ void k8(const float* a, const float* b, float* c) {
  constexpr int K = 8;
  PLACE;
  const unsigned a0 = half_pair(A(group, place), A(group, place + 1));
  const unsigned a1 = half_pair(A(group + 8, place), A(group + 8, place + 1));
  const unsigned b0 = half_pair(B(place, group), B(place + 1, group));
  unsigned d0 = half_pair(C(group, place), C(group, place + 1));
  unsigned d1 = half_pair(C(group + 8, place), C(group + 8, place + 1));
  asm volatile(
      "mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f16 {%0, %1}, {%2, %3}, {%4}, {%0, %1};"
      : "+r"(d0), "+r"(d1)
      : "r"(a0), "r"(a1), "r"(b0));
  *C(group, place) = __half2float(__ushort_as_half(d0 & 0xffff));
  *C(group, place + 1) = __half2float(__ushort_as_half(d0 >> 16));
  *C(group + 8, place) = __half2float(__ushort_as_half(d1 & 0xffff));
  *C(group + 8, place + 1) = __half2float(__ushort_as_half(d1 >> 16));
}

__global__ void tf32(const float* a, const float* b, float* c) {
  constexpr int K = 8;
  PLACE;
  const int k = place / 2;
  float d[4] = {*C(group, place), *C(group, place + 1), *C(group + 8, place),
                *C(group + 8, place + 1)};
  asm volatile(
      "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 "
      "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
      : "r"(__float_as_uint(*A(group, k))), "r"(__float_as_uint(*A(group + 8, k))),
        "r"(__float_as_uint(*A(group, k + 4))), "r"(__float_as_uint(*A(group + 8, k + 4))),
        "r"(__float_as_uint(*B(k, group))), "r"(__float_as_uint(*B(k + 4, group))));
  *C(group, place) = d[0], *C(group, place + 1) = d[1];
  *C(group + 8, place) = d[2], *C(group + 8, place + 1) = d[3];
}

__global__ void tf32_k4(const float* a, const float* b, float* c) {
  constexpr int K = 4;
  PLACE;
  const int k = place / 2;
  float d[4] = {*C(group, place), *C(group, place + 1), *C(group + 8, place),
                *C(group + 8, place + 1)};
  asm volatile(
      "mma.sync.aligned.m16n8k4.row.col.f32.tf32.tf32.f32 "
      "{%0, %1, %2, %3}, {%4, %5}, {%6}, {%0, %1, %2, %3};"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
      : "r"(__float_as_uint(*A(group, k))), "r"(__float_as_uint(*A(group + 8, k))),
        "r"(__float_as_uint(*B(k, group))));
  *C(group, place) = d[0], *C(group, place + 1) = d[1];
  *C(group + 8, place) = d[2], *C(group + 8, place + 1) = d[3];
}

/// Four elements of A's row from this column on, or of B's column from this row on, in eighths.
__device__ unsigned bytes(const float* first, int stride) {
  unsigned result = 0;
  for (int i = 0; i < 4; ++i)
    result |= (unsigned)(unsigned char)(signed char)(8 * first[i * stride]) << 8 * i;
  return result;
}

template <int K>
__global__ void signed_bytes(const float* a, const float* b, float* c) {
  PLACE;
  const int k = 2 * place;
  float* const to[4] = {C(group, place), C(group, place + 1), C(group + 8, place),
                        C(group + 8, place + 1)};
  int d[4];
  for (int i = 0; i < 4; ++i) d[i] = (int)(64 * *to[i]);
  if (K == 16) {
    asm volatile(
        "mma.sync.aligned.m16n8k16.row.col.s32.s8.s8.s32 "
        "{%0, %1, %2, %3}, {%4, %5}, {%6}, {%0, %1, %2, %3};"
        : "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3])
        : "r"(bytes(A(group, k), 1)), "r"(bytes(A(group + 8, k), 1)), "r"(bytes(B(k, group), 8)));
  } else {
    asm volatile(
        "mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 "
        "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
        : "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3])
        : "r"(bytes(A(group, k), 1)), "r"(bytes(A(group + 8, k), 1)),
          "r"(bytes(A(group, k + 16), 1)), "r"(bytes(A(group + 8, k + 16), 1)),
          "r"(bytes(B(k, group), 8)), "r"(bytes(B(k + 16, group), 8)));
  }
  for (int i = 0; i < 4; ++i) *to[i] = d[i] / 64.0f;
}

/// The same as FP8.
__device__ unsigned codes(const float* first, int stride) {
  unsigned result = 0;
  for (int i = 0; i < 4; ++i)
    result |= (unsigned)__nv_fp8_e4m3(first[i * stride]).__x << 8 * i;
  return result;
}

__global__ void fp8(const float* a, const float* b, float* c) {
  constexpr int K = 32;
  PLACE;
  const int k = 2 * place;
  float d[4] = {*C(group, place), *C(group, place + 1), *C(group + 8, place),
                *C(group + 8, place + 1)};
  asm volatile(
      "mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e4m3.f32 "
      "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
      : "r"(codes(A(group, k), 1)), "r"(codes(A(group + 8, k), 1)),
        "r"(codes(A(group, k + 16), 1)), "r"(codes(A(group + 8, k + 16), 1)),
        "r"(codes(B(k, group), 8)), "r"(codes(B(k + 16, group), 8)));
  *C(group, place) = d[0], *C(group, place + 1) = d[1];
  *C(group + 8, place) = d[2], *C(group + 8, place + 1) = d[3];
}

/// Whether a kernel of one warp made C + A B, element by element.
static bool multiplies(void (*kernel)(const float*, const float*, float*), int k) {
  Values<float, 512> a;
  Values<float, 256> b;
  Values<float, 128> c;
  float ha[512], hb[256], hc[128];
  for (int i = 0; i < 512; ++i) ha[i] = value(i);
  for (int i = 0; i < 256; ++i) hb[i] = value(i + 1000);
  for (int i = 0; i < 128; ++i) hc[i] = value(i + 2000);
  a.set(ha), b.set(hb), c.set(hc);
  kernel<<<1, 32>>>(a.device, b.device, c.device);
  c.get();
  int right = 0;
  for (int row = 0; row < 16; ++row) {
    for (int column = 0; column < 8; ++column) {
      double sum = hc[row * 8 + column];
      for (int i = 0; i < k; ++i) sum += (double)ha[row * k + i] * hb[i * 8 + column];
      right += c.host[row * 8 + column] == (float)sum;
    }
  }
  return right == 128;
}

/// Where ldmatrix brings which element: tile[row][column] is 8 row + column, four matrices below
/// each other.
__global__ void loads(int* out) {
  __shared__ __align__(16) unsigned short tile[32][8];
  for (int i = 0; i < 8; ++i) tile[threadIdx.x][i] = threadIdx.x * 8 + i;
  __syncwarp();
  const unsigned row = (unsigned)__cvta_generic_to_shared(tile[threadIdx.x]);
  unsigned r[4], t[2];
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
               : "r"(row));
  asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0, %1}, [%2];"
               : "=r"(t[0]), "=r"(t[1])
               : "r"(row));
  const unsigned group = threadIdx.x / 4, place = threadIdx.x % 4 * 2;
  bool right = true;
  for (unsigned m = 0; m < 4; ++m) {
    const unsigned first = m * 64 + group * 8 + place;
    right &= r[m] == (first | (first + 1) << 16);
  }
  for (unsigned m = 0; m < 2; ++m) {
    const unsigned first = m * 64 + place * 8 + group;
    right &= t[m] == (first | (first + 8) << 16);
  }
  out[threadIdx.x] = right;
}

/// C = A B of float matrices, one warp for each 16 x 8 tile, in halves: tiles to shared memory,
/// Where stmatrix brings which element: lane's register j holds row lane / 4 of matrix j, columns
/// 2 (lane % 4) and one more; .trans stores them as columns.
__global__ void stores(int* out) {
  __shared__ __align__(16) unsigned short tile[32][8], turned[16][8];
  const int lane = threadIdx.x, row = lane / 4, column = lane % 4 * 2;
  unsigned r[4];
  for (int j = 0; j < 4; ++j) {
    const unsigned first = 64 * j + 8 * row + column;
    r[j] = first | (first + 1) << 16;
  }
  asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(
                   (unsigned)__cvta_generic_to_shared(tile[lane])),
               "r"(r[0]), "r"(r[1]), "r"(r[2]), "r"(r[3])
               : "memory");
  asm volatile("stmatrix.sync.aligned.m8n8.x2.trans.shared.b16 [%0], {%1, %2};" ::"r"(
                   (unsigned)__cvta_generic_to_shared(turned[lane % 16])),
               "r"(r[0]), "r"(r[1])
               : "memory");
  __syncwarp();
  bool right = true;
  for (int i = 0; i < 8; ++i) right &= tile[lane][i] == 8 * lane + i;
  if (lane < 16) {
    for (int i = 0; i < 8; ++i) right &= turned[lane][i] == 64 * (lane / 8) + 8 * i + lane % 8;
  }
  out[lane] = right;
}

/// ldmatrix for A, ldmatrix.trans for B, whose rows are rows here.
__global__ void gemm(const float* a, const float* b, float* c, int n, int k) {
  __shared__ __align__(16) half tile_a[16][24], tile_b[16][8];  // rows of 48 bytes: no conflicts
  const int lane = threadIdx.x, row0 = blockIdx.y * 16, column0 = blockIdx.x * 8;
  float d[4] = {};
  for (int k0 = 0; k0 < k; k0 += 16) {
    for (int i = lane; i < 256; i += 32)
      tile_a[i / 16][i % 16] = __float2half(a[(row0 + i / 16) * k + k0 + i % 16]);
    for (int i = lane; i < 128; i += 32)
      tile_b[i / 8][i % 8] = __float2half(b[(k0 + i / 8) * n + column0 + i % 8]);
    __syncthreads();
    unsigned ra[4], rb[2];
    const unsigned from_a = (unsigned)__cvta_generic_to_shared(&tile_a[lane % 16][lane / 16 * 8]);
    const unsigned from_b = (unsigned)__cvta_generic_to_shared(tile_b[lane % 16]);
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(ra[0]), "=r"(ra[1]), "=r"(ra[2]), "=r"(ra[3])
                 : "r"(from_a));
    asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0, %1}, [%2];"
                 : "=r"(rb[0]), "=r"(rb[1])
                 : "r"(from_b));
    asm volatile(
        "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 "
        "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
        : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
        : "r"(ra[0]), "r"(ra[1]), "r"(ra[2]), "r"(ra[3]), "r"(rb[0]), "r"(rb[1]));
    __syncthreads();
  }
  const int group = lane / 4, place = lane % 4 * 2;
  for (int i = 0; i < 4; ++i) c[(row0 + group + i / 2 * 8) * n + column0 + place + i % 2] = d[i];
}

static bool gemm_is_right() {
  constexpr int M = 32, N = 24, K = 48;
  static Values<float, M * K> a;
  static Values<float, K * N> b;
  static Values<float, M * N> c;
  static float ha[M * K], hb[K * N];
  for (int i = 0; i < M * K; ++i) ha[i] = value(i);
  for (int i = 0; i < K * N; ++i) hb[i] = value(i + 5000);
  a.set(ha), b.set(hb);
  gemm<<<dim3(N / 8, M / 16), 32>>>(a.device, b.device, c.device, N, K);
  c.get();
  int right = 0;
  for (int row = 0; row < M; ++row) {
    for (int column = 0; column < N; ++column) {
      double sum = 0;
      for (int i = 0; i < K; ++i) sum += (double)ha[row * K + i] * hb[i * N + column];
      right += c.host[row * N + column] == (float)sum;
    }
  }
  return right == M * N;
}

static void fixture() {
  EXPECT(multiplies(k16<false>, 16));
  EXPECT(multiplies(k16<true>, 16));
  EXPECT(multiplies(k8, 8));
  EXPECT(multiplies(tf32, 8));
  EXPECT(multiplies(tf32_k4, 4));
  EXPECT(multiplies(signed_bytes<16>, 16));
  EXPECT(multiplies(signed_bytes<32>, 32));
  EXPECT(multiplies(fp8, 32));
  Values<int, 32> out;
  stores<<<1, 32>>>(out.device);
  int stored = 0;
  for (int i = 0; i < 32; ++i) stored += out.get()[i];
  EXPECT(stored == 32);
  loads<<<1, 32>>>(out.device);
  int right = 0;
  for (int i = 0; i < 32; ++i) right += out.get()[i];
  EXPECT(right == 32);
  EXPECT(gemm_is_right());
}
