#pragma once
// How fast this GPU's tensor cores multiply, with operands that do not come from device memory:
// wgmma on Hopper, where mma.sync and wmma reach about 62 % of the rate (Luo and others,
// "Benchmarking and Dissecting the Nvidia Hopper GPU Architecture", arXiv 2402.13499), wmma
// elsewhere.
//
// The operands are random numbers, as the candidates' are: with zeros a chip at its power limit
// would be faster.

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>
#include <mma.h>

#include <type_traits>

namespace tensor {

constexpr int THREADS = 256;      // two warpgroups
constexpr int BLOCKS_PER_SM = 2;  // 64 of 128 registers are accumulators
constexpr int K_BYTES = 32;       // depth of one wgmma
constexpr int M = 64, N = 128;    // its result
constexpr int STEPS = 16;         // unrolled
constexpr int ROUNDS = 448;       // about a millisecond on an H200
constexpr int WMMA_CHAINS = 4;    // of a warp, each 16 x 16 x 16

/// Words of shared memory whose elements are of size 1 to 2, with random signs and mantissas; of
/// integers all bits are random.
template <class T>
__device__ void fill_random(unsigned* words, int count) {
  const unsigned ones = std::is_integral_v<T>              ? 0
                        : std::is_same_v<T, __half>        ? 0x3c003c00
                        : std::is_same_v<T, __nv_fp8_e4m3> ? 0x38383838
                                                           : 0x3f803f80;
  const unsigned random = std::is_integral_v<T>              ? ~0u
                          : std::is_same_v<T, __half>        ? 0x83ff83ff
                          : std::is_same_v<T, __nv_fp8_e4m3> ? 0x87878787
                                                             : 0x807f807f;
  for (int i = threadIdx.x; i < count; i += THREADS) {
    unsigned z = (i + 1) * 0x9e3779b9u;
    z = (z ^ (z >> 16)) * 0x85ebca6bu;
    z = (z ^ (z >> 13)) * 0xc2b2ae35u;
    words[i] = ones | ((z ^ (z >> 16)) & random);
  }
}

#ifdef __CUDA_ARCH_FEAT_SM90_ALL

#define KATA_SUMS_8(letter, i)                                                                \
  "+" letter(sum[i]), "+" letter(sum[i + 1]), "+" letter(sum[i + 2]), "+" letter(sum[i + 3]), \
      "+" letter(sum[i + 4]), "+" letter(sum[i + 5]), "+" letter(sum[i + 6]),                 \
      "+" letter(sum[i + 7])

#define KATA_WGMMA(form, tail, letter)                                                             \
  asm volatile("wgmma.mma_async.sync.aligned.m64n128" form                                         \
               " {%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17," \
               "%18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, %32, %33,"   \
               "%34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, %48, %49,"   \
               "%50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63}, %64, %65, " \
               "1" tail ";"                                                                        \
               : KATA_SUMS_8(letter, 0), KATA_SUMS_8(letter, 8), KATA_SUMS_8(letter, 16),          \
                 KATA_SUMS_8(letter, 24), KATA_SUMS_8(letter, 32), KATA_SUMS_8(letter, 40),        \
                 KATA_SUMS_8(letter, 48), KATA_SUMS_8(letter, 56)                                  \
               : "l"(a), "l"(b))

template <class T>
struct Sum {
  using Type = float;
};
template <>
struct Sum<signed char> {
  using Type = int;
};

__device__ inline void wgmma(float (&sum)[64], unsigned long long a, unsigned long long b, __half) {
  KATA_WGMMA("k16.f32.f16.f16", ", 1, 1, 0, 0", "f");
}
__device__ inline void wgmma(float (&sum)[64], unsigned long long a, unsigned long long b,
                             __nv_bfloat16) {
  KATA_WGMMA("k16.f32.bf16.bf16", ", 1, 1, 0, 0", "f");
}
__device__ inline void wgmma(float (&sum)[64], unsigned long long a, unsigned long long b,
                             __nv_fp8_e4m3) {
  KATA_WGMMA("k32.f32.e4m3.e4m3", ", 1, 1", "f");
}
__device__ inline void wgmma(int (&sum)[64], unsigned long long a, unsigned long long b,
                             signed char) {
  KATA_WGMMA("k32.s32.s8.s8", "", "r");
}

/// A tile of rows of 32 bytes without swizzle: two cells of 8 rows of 16 bytes along k, 128 bytes
/// apart, and the next 8 rows 256 bytes further. (PTX ISA, "Matrix Descriptor Format".)
__device__ inline unsigned long long descriptor(const void* tile) {
  const auto address = static_cast<unsigned long long>(__cvta_generic_to_shared(tile));
  return (address & 0x3ffff) >> 4 | (128ull >> 4) << 16 | (256ull >> 4) << 32;
}

template <class T>
__device__ void multiply(float* sink) {
  __shared__ __align__(128) unsigned tiles[(M + N) * K_BYTES / 4];
  fill_random<T>(tiles, (M + N) * K_BYTES / 4);
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  __syncthreads();
  const unsigned long long a = descriptor(tiles), b = descriptor(tiles + M * K_BYTES / 4);
  typename Sum<T>::Type sum[64] = {};
  for (int round = 0; round < ROUNDS; ++round) {
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
#pragma unroll
    for (int step = 0; step < STEPS; ++step) wgmma(sum, a, b, T{});
    asm volatile("wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;" ::: "memory");
  }
  float total = 0;
#pragma unroll
  for (int i = 0; i < 64; ++i) total += sum[i];
  if (total == 1e30f) *sink = total;  // never, but the compiler cannot know
}

#else

/// As many products of wmma as two warpgroups have in their wgmmas.
template <class T, class Sum>
__device__ void multiply_with_wmma(float* sink) {
  using namespace nvcuda;
  constexpr int MATRICES = 2;  // of 16 x 16 elements
  __shared__ __align__(128) unsigned tiles[MATRICES * 256 * sizeof(T) / 4];
  fill_random<T>(tiles, MATRICES * 256 * sizeof(T) / 4);
  __syncthreads();
  wmma::fragment<wmma::matrix_a, 16, 16, 16, T, wmma::row_major> a;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, T, wmma::col_major> b;
  wmma::fragment<wmma::accumulator, 16, 16, 16, Sum> sum[WMMA_CHAINS];
  wmma::load_matrix_sync(a, reinterpret_cast<const T*>(tiles), 16);
  wmma::load_matrix_sync(b, reinterpret_cast<const T*>(tiles) + 256, 16);
#pragma unroll
  for (auto& one : sum) wmma::fill_fragment(one, Sum(0));
  constexpr int depth = K_BYTES / sizeof(T);
  constexpr int products = STEPS * 2 * M * N * depth / (THREADS / 32 * WMMA_CHAINS * 16 * 16 * 16);
  for (int round = 0; round < ROUNDS; ++round) {
#pragma unroll
    for (int product = 0; product < products; ++product) {
#pragma unroll
      for (auto& one : sum) wmma::mma_sync(one, a, b, one);
    }
  }
  float total = 0;
#pragma unroll
  for (auto& one : sum) {
    for (int i = 0; i < one.num_elements; ++i) total += one.x[i];
  }
  if (total == 1e30f) *sink = total;
}

template <class T>
__device__ void multiply(float* sink) {
  if constexpr (std::is_integral_v<T>) {
#if __CUDA_ARCH__ >= 720
    multiply_with_wmma<T, int>(sink);
#endif
  } else if constexpr (std::is_same_v<T, __half>) {
    multiply_with_wmma<T, float>(sink);
  } else if constexpr (sizeof(T) == 2) {  // wmma has no FP8
#if __CUDA_ARCH__ >= 800
    multiply_with_wmma<T, float>(sink);
#endif
  }
}

#endif

template <class T>
__global__ void __launch_bounds__(THREADS, BLOCKS_PER_SM) multiply_kernel(float* sink) {
  multiply<T>(sink);
}

/// Launches it and returns its operations: 0 where this GPU has no tensor cores for T.
template <class T>
double run(float* sink, int multiprocessors) {
  int device = 0, major = 0, minor = 0;
  cudaGetDevice(&device);
  cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device);
  cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, device);
  const int first = std::is_integral_v<T>              ? 72
                    : std::is_same_v<T, __half>        ? 70
                    : std::is_same_v<T, __nv_fp8_e4m3> ? 90
                                                       : 80;
  if (10 * major + minor < first) return 0;
  const int blocks = BLOCKS_PER_SM * multiprocessors;
  multiply_kernel<T><<<blocks, THREADS>>>(sink);
  return 2.0 * 2 * M * N * K_BYTES / sizeof(T) * STEPS * ROUNDS * blocks;
}

}  // namespace tensor
