#pragma once
// Inputs that no call has seen before, made on the GPU in the time of a copy, and a look at a few
// elements of an output: what makes an earlier result worthless and a late one visible.

#include <cuda_bf16.h>
#include <cuda_fp16.h>

namespace fresh {

constexpr int THREADS = 256;

/// SplitMix64 (Steele, Lea, Flood 2014): word i of the stream `key`.
__device__ inline unsigned long long word(unsigned long long key, unsigned long long i) {
  unsigned long long z = key + (i + 1) * 0x9e3779b97f4a7c15ull;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
  return z ^ (z >> 31);
}

inline unsigned blocks_for(long long count) {
  return static_cast<unsigned>((count + THREADS - 1) / THREADS);
}

__device__ inline long long index() {
  return 1ll * blockIdx.x * THREADS + threadIdx.x;
}

__global__ void __launch_bounds__(THREADS)
    gather_kernel(const unsigned* pool, long long pool_words, unsigned* to, long long words,
                  unsigned long long seed) {
  const long long i = index();
  if (i < words) to[i] = pool[word(seed, i) % pool_words];
}

template <class T>
__global__ void __launch_bounds__(THREADS)
    mix_kernel(const T* a, const T* b, T* to, long long count, long long per_row,
               unsigned long long seed) {
  const long long i = index();
  if (i < count) to[i] = (word(seed, i / per_row) & 1 ? a : b)[i];
}

template <class T>
__global__ void __launch_bounds__(THREADS)
    scale_kernel(const T* from, T* to, long long count, float factor) {
  const long long i = index();
  if (i < count) to[i] = static_cast<T>(static_cast<float>(from[i]) * factor);
}

template <class T>
__global__ void __launch_bounds__(THREADS)
    pick_kernel(const T* from, T* to, long long count, int picks, unsigned long long seed) {
  const int i = static_cast<int>(index());
  if (i >= picks) return;
  to[i] = from[count <= picks ? i % count : word(seed, i) % count];
}

template <class T>
void mix(const void* a, const void* b, void* to, long long bytes, long long row_bytes,
         unsigned long long seed) {
  const long long count = bytes / sizeof(T);
  mix_kernel<<<blocks_for(count), THREADS>>>(static_cast<const T*>(a), static_cast<const T*>(b),
                                             static_cast<T*>(to), count, row_bytes / sizeof(T),
                                             seed);
}

template <class T>
void scale(const void* from, void* to, long long count, float factor) {
  scale_kernel<<<blocks_for(count), THREADS>>>(static_cast<const T*>(from), static_cast<T*>(to),
                                               count, factor);
}

template <class T>
void pick(const void* from, void* to, long long count, int picks, unsigned long long seed) {
  pick_kernel<<<blocks_for(picks), THREADS>>>(static_cast<const T*>(from), static_cast<T*>(to),
                                              count, picks, seed);
}

}  // namespace fresh
