// What this GPU can reach at best, measured with the same method as the candidates: kernels
// that move a problem's bytes and do nothing else, the rate of arithmetic, and the inputs of each
// call.
//
// Measured on one H200 (132 SMs, 2026-11-21): a copy of 512 MiB 4211 GB/s, of 64 MiB 3700 GB/s
// (HBM3e, 4800 by the datasheet), FFMA 66.0 TFLOP/s (132 SMs x 128 lanes x 2 operations x 1.98 GHz
// = 66.9). One float4 per thread copies as fast as cudaMemcpy from 4 MiB to 1 GiB; four in flight
// per thread, with cache hints to forget them, are 7 to 10 % slower there. For reading alone four
// in flight are best: 4400 GB/s at 1 GiB, where 1, 2, 8 or 16 and blocks that stay and loop are
// within 2 %. With hints to forget it is 4150 there. Which of the two is faster depends on the
// size: both are measured, and the faster one counts. (These figures were taken with a flush that
// wrote to memory.)

#include <cuda_runtime.h>

#include "fresh_inputs.h"
#include "tensor_ceilings.h"

namespace {

constexpr int THREADS = 256;
constexpr int READ_LOADS = 4;  // float4 loads in flight per thread
constexpr int CHAINS = 8;  // independent chains: 8 warps of a scheduler x 8 hide 4 cycles easily
constexpr int ROUNDS = 256;
constexpr int PER_ROUND = 64;  // unrolled: 512 FFMAs for 3 instructions of the loop

__global__ void __launch_bounds__(THREADS) fill_kernel(float4* x, unsigned seed) {
  const unsigned long long i = 1ull * blockIdx.x * THREADS + threadIdx.x;
  unsigned long long z = (i + 1) * 0x9e3779b97f4a7c15ull + seed;  // splitmix64
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
  const unsigned long long low = z ^ (z >> 31);
  z = (low + 0x9e3779b97f4a7c15ull) * 0xbf58476d1ce4e5b9ull;
  const unsigned long long high = z ^ (z >> 29);
  const float scale = 1.0f / 2147483648.0f;
  x[i] = make_float4(static_cast<int>(low) * scale, static_cast<int>(low >> 32) * scale,
                     static_cast<int>(high) * scale, static_cast<int>(high >> 32) * scale);
}

__global__ void __launch_bounds__(THREADS) copy_kernel(const float4* from, float4* to) {
  const size_t i = size_t{blockIdx.x} * THREADS + threadIdx.x;
  to[i] = from[i];
}

__device__ unsigned long long nanoseconds() {
  unsigned long long now;
  asm volatile("mov.u64 %0, %globaltimer;" : "=l"(now));
  return now;
}

__global__ void gate_kernel(const volatile unsigned* opened, unsigned number) {
  const unsigned long long start = nanoseconds();
  while (*opened != number && nanoseconds() - start < 100'000'000) {
  }
}

template <bool STREAMING>  // then L2 gives up what was read before what was there
__global__ void __launch_bounds__(THREADS) read_kernel(const float4* from, float* sink) {
  const size_t first = size_t{blockIdx.x} * THREADS * READ_LOADS + threadIdx.x;
  float4 loaded[READ_LOADS];
#pragma unroll
  for (int i = 0; i < READ_LOADS; ++i) {
    const float4* const place = &from[first + i * THREADS];
    loaded[i] = STREAMING ? __ldcs(place) : *place;
  }
  float sum = 0;
#pragma unroll
  for (int i = 0; i < READ_LOADS; ++i) {
    sum += (loaded[i].x + loaded[i].y) + (loaded[i].z + loaded[i].w);
  }
  if (sum == 1e30f) *sink = sum;  // never, but the compiler cannot know
}

__global__ void __launch_bounds__(THREADS) ffma_kernel(float* sink, float a, float b) {
  float x[CHAINS];
#pragma unroll
  for (int i = 0; i < CHAINS; ++i) x[i] = static_cast<float>(threadIdx.x + i);
#pragma unroll 1
  for (int round = 0; round < ROUNDS; ++round) {
#pragma unroll
    for (int step = 0; step < PER_ROUND; ++step) {
#pragma unroll
      for (int i = 0; i < CHAINS; ++i) x[i] = fmaf(x[i], a, b);
    }
  }
  float sum = 0;
#pragma unroll
  for (int i = 0; i < CHAINS; ++i) sum += x[i];
  if (sum == 1e30f) *sink = sum;
}

unsigned blocks_for(long long count, int floats_per_thread) {
  return static_cast<unsigned>(count / (1ll * THREADS * floats_per_thread));
}

}  // namespace

// `count` is a multiple of 8192 everywhere below: whole blocks, no bounds to check.

/// x[0..count) = numbers drawn uniformly from [-1, 1).
extern "C" void kata_fill(float* x, long long count, unsigned seed) {
  fill_kernel<<<blocks_for(count, 4), THREADS>>>(reinterpret_cast<float4*>(x), seed);
}

/// One float4 per thread.
extern "C" void kata_copy(const float* from, float* to, long long count, cudaStream_t stream) {
  copy_kernel<<<blocks_for(count, 4), THREADS, 0, stream>>>(reinterpret_cast<const float4*>(from),
                                                            reinterpret_cast<float4*>(to));
}

/// Reads all of `from`; never writes to `sink`.
extern "C" void kata_read(const float* from, float* sink, long long count) {
  read_kernel<false>
      <<<blocks_for(count, 4 * READ_LOADS), THREADS>>>(reinterpret_cast<const float4*>(from), sink);
}

/// The same, and leaves the L2 to others.
extern "C" void kata_read_streaming(const float* from, float* sink, long long count) {
  read_kernel<true>
      <<<blocks_for(count, 4 * READ_LOADS), THREADS>>>(reinterpret_cast<const float4*>(from), sink);
}

/// x = a x + b in registers, with `blocks` blocks of 256 threads; returns how many operations that
/// takes. With a = -1 a chain alternates between two numbers and never settles.
extern "C" double kata_ffma(float* sink, int blocks) {
  ffma_kernel<<<blocks, THREADS>>>(sink, -1.0f, 0.3f);
  return 2.0 * CHAINS * PER_ROUND * ROUNDS * THREADS * blocks;
}

/// Products of tensor cores, with all multiprocessors; returns how many operations that takes, 0
/// where this GPU has no tensor cores for the type.
extern "C" double kata_tensor_f16(float* sink, int multiprocessors) {
  return tensor::run<__half>(sink, multiprocessors);
}
extern "C" double kata_tensor_bf16(float* sink, int multiprocessors) {
  return tensor::run<__nv_bfloat16>(sink, multiprocessors);
}
extern "C" double kata_tensor_f8(float* sink, int multiprocessors) {
  return tensor::run<__nv_fp8_e4m3>(sink, multiprocessors);
}
extern "C" double kata_tensor_i8(float* sink, int multiprocessors) {
  return tensor::run<signed char>(sink, multiprocessors);
}

/// The work of kata_ffma on a stream of its own, which is not ordered with any other.
extern "C" void kata_occupy(int blocks) {
  static cudaStream_t stream = nullptr;
  if (!stream) cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
  ffma_kernel<<<blocks, THREADS, 0, stream>>>(nullptr, -1.0f, 0.3f);
}

/// What comes next in the stream waits until *opened is `number`, or for a tenth of a second.
extern "C" void kata_gate(const volatile unsigned* opened, unsigned number, cudaStream_t stream) {
  gate_kernel<<<1, 1, 0, stream>>>(opened, number);
}

/// to[i] = an element of the pool, drawn for each i.
extern "C" void kata_gather(const unsigned* pool, long long pool_words, unsigned* to,
                            long long words, unsigned long long seed) {
  fresh::gather_kernel<<<fresh::blocks_for(words), fresh::THREADS>>>(pool, pool_words, to, words,
                                                                     seed);
}

/// Each row of `to` is that of a or that of b. Addresses are multiples of 512 bytes.
extern "C" void kata_mix(const void* a, const void* b, void* to, long long bytes,
                         long long row_bytes, unsigned long long seed) {
  if (row_bytes % 16 == 0) return fresh::mix<float4>(a, b, to, bytes, row_bytes, seed);
  if (row_bytes % 4 == 0) return fresh::mix<float>(a, b, to, bytes, row_bytes, seed);
  if (row_bytes % 2 == 0) return fresh::mix<short>(a, b, to, bytes, row_bytes, seed);
  fresh::mix<char>(a, b, to, bytes, row_bytes, seed);
}

/// to = from times the factor: of floats, or of halves or bfloat16s. Keeps their order and NaN.
extern "C" void kata_scale_f32(const void* from, void* to, long long count, float factor) {
  fresh::scale<float>(from, to, count, factor);
}
extern "C" void kata_scale_f16(const void* from, void* to, long long count, float factor) {
  fresh::scale<__half>(from, to, count, factor);
}
extern "C" void kata_scale_bf16(const void* from, void* to, long long count, float factor) {
  fresh::scale<__nv_bfloat16>(from, to, count, factor);
}

/// `picks` of the `count` elements of 1, 2 or 4 bytes: which ones depends on the seed.
extern "C" void kata_pick(const void* from, void* to, long long count, int element_bytes, int picks,
                          unsigned long long seed) {
  if (element_bytes == 4) return fresh::pick<unsigned>(from, to, count, picks, seed);
  if (element_bytes == 2) return fresh::pick<unsigned short>(from, to, count, picks, seed);
  fresh::pick<unsigned char>(from, to, count, picks, seed);
}
