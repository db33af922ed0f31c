#pragma once
// Linear attention in chunks of 64 tokens, by three kernels, for rungs 3 and 4.
//
//   states    of each chunk: sum over its tokens t of decay^(63 - t) k_t v_t^T, as halves
//   scan      turns these into the states before each chunk, one chunk after the other in float
//   outputs   of token p of a chunk: scale decay^(p + 1) q_p S for the state S before the chunk,
//             and the keys of the chunk itself as in attention
//
// Tokens past the end are zeros; the state after them is not used.

#include <cuda_fp16.h>
#include <kata/kata.h>

#include "../common/scratch.h"

constexpr int CHUNK = 64;

// The arguments of the kernels, [heads of all sequences, length, dim], and where a block works.
struct Arguments {
  const __half *Q, *K, *V;
  const float* decay;
  __half *O, *states;  // states: [heads of all sequences, chunks, dim, dim]
  int heads, length, chunks;

  __device__ int head() const { return blockIdx.x / chunks; }
  __device__ int first() const { return blockIdx.x % chunks * CHUNK; }  // token of the block
  __device__ int tokens() const { return min(CHUNK, length - first()); }
  __device__ size_t row() const { return static_cast<size_t>(head()) * length + first(); }
  __device__ float log2_decay() const { return log2f(decay[head() % heads]); }
};

// Of a decay above 0, so that its logarithm is finite: power 0 is 1.
__device__ inline float decay_power(float log2_decay, int exponent) {
  return exp2f(static_cast<float>(exponent) * log2_decay);
}

// A thread per pair of elements of a head's state. AHEAD chunks are loaded before any is stored.
__global__ void scan_kernel(__half2* states, const float* decay, int heads, int chunks, int pairs) {
  constexpr int AHEAD = 8;
  const int head = blockIdx.y;
  const float factor = decay_power(log2f(decay[head % heads]), CHUNK);
  __half2* const state =
      states + static_cast<size_t>(head) * chunks * pairs + blockIdx.x * blockDim.x + threadIdx.x;
  float2 sum = make_float2(0.0f, 0.0f);
  for (int first = 0; first < chunks; first += AHEAD) {
    __half2 own[AHEAD];
#pragma unroll
    for (int i = 0; i < AHEAD; ++i) {
      if (first + i < chunks) own[i] = state[static_cast<size_t>(first + i) * pairs];
    }
#pragma unroll
    for (int i = 0; i < AHEAD; ++i) {
      if (first + i >= chunks) break;
      state[static_cast<size_t>(first + i) * pairs] = __float22half2_rn(sum);
      const float2 next = __half22float2(own[i]);
      sum = make_float2(factor * sum.x + next.x, factor * sum.y + next.y);
    }
  }
}

// Launches all three. Both kernels have a block per chunk, of `threads`, with `bytes` of shared
// memory.
template <class Kernel>
void run_chunks(Kernel states, int states_bytes, Kernel outputs, int outputs_bytes, int threads,
                Arguments x, int all_heads, int dim) {
  static Scratch<__half> scratch;
  x.chunks = kata::ceil_div(x.length, CHUNK);
  x.states = scratch.get(static_cast<size_t>(all_heads) * x.chunks * dim * dim);
  cudaFuncSetAttribute(states, cudaFuncAttributeMaxDynamicSharedMemorySize, states_bytes);
  cudaFuncSetAttribute(outputs, cudaFuncAttributeMaxDynamicSharedMemorySize, outputs_bytes);
  const int pairs = dim * dim / 2;
  states<<<all_heads * x.chunks, threads, states_bytes>>>(x);
  scan_kernel<<<dim3(pairs / 256, all_heads), 256>>>(reinterpret_cast<__half2*>(x.states), x.decay,
                                                     x.heads, x.chunks, pairs);
  outputs<<<all_heads * x.chunks, threads, outputs_bytes>>>(x);
}
