#pragma once
// Attention of HEADS heads of one group over some keys, by a block of 4 warps: rungs 2 to 4.
//
// A lane holds 8 of the dim elements, loaded as 16 bytes, so 8 or 16 lanes share a key and a warp
// loads 4 or 2 keys at once. It issues the loads of STEPS such sets before it uses the first.

#include "cache.h"

constexpr int WARPS = 4, THREADS = 32 * WARPS;

// The unnormalised output of one head is in units of exp(max).
template <int HEADS>
struct Heads {
  float max[HEADS], sum[HEADS], o[HEADS][8];
};

// Keys [begin, end) of a sequence, for heads [0, count) with queries at `q`, the first of which is a
// block's own group. Lanes hold the sums over their own keys; all lanes of a warp have its maximum.
template <int DIM, int HEADS, int STEPS, class KvCache>
__device__ Heads<HEADS> attend(const __half* q, int count, const KvCache& cache, int sequence,
                               int kv_head, int begin, int end) {
  constexpr int LANES = DIM / 8, KEYS = 32 / LANES;
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  const int part = lane % LANES * 8;
  Floats8 query[HEADS];
  Heads<HEADS> heads;
#pragma unroll
  for (int h = 0; h < HEADS; ++h) {
    query[h] = floats(h < count ? *reinterpret_cast<const uint4*>(q + h * DIM + part) : uint4());
    heads.max[h] = -CUDART_INF_F;
    heads.sum[h] = 0.0f;
#pragma unroll
    for (int i = 0; i < 8; ++i) heads.o[h][i] = 0.0f;
  }
  for (int first = begin + warp * KEYS * STEPS; first < end; first += WARPS * KEYS * STEPS) {
    uint4 k[STEPS], v[STEPS];
#pragma unroll
    for (int s = 0; s < STEPS; ++s) {
      const int key = first + s * KEYS + lane / LANES;
      const size_t at = cache.at(sequence, key, kv_head, DIM) + part;
      k[s] = key < end ? *reinterpret_cast<const uint4*>(cache.k + at) : uint4();
      v[s] = key < end ? *reinterpret_cast<const uint4*>(cache.v + at) : uint4();  // 0, never NaN
    }
    float score[HEADS][STEPS];
#pragma unroll
    for (int s = 0; s < STEPS; ++s) {
      const Floats8 key = floats(k[s]);
      const bool exists = first + s * KEYS + lane / LANES < end;
#pragma unroll
      for (int h = 0; h < HEADS; ++h) {
        float product = 0.0f;
#pragma unroll
        for (int i = 0; i < 8; ++i) product += query[h].at[i] * key.at[i];
        product = warp_sum_all(product, LANES);
        score[h][s] = exists ? cache.scale * product : -CUDART_INF_F;
      }
    }
#pragma unroll
    for (int h = 0; h < HEADS; ++h) {
      float max = heads.max[h];
#pragma unroll
      for (int s = 0; s < STEPS; ++s) max = fmaxf(max, score[h][s]);
#pragma unroll
      for (int offset = LANES; offset < 32; offset *= 2) {  // finite: key `first` exists
        max = fmaxf(max, __shfl_xor_sync(0xffffffffu, max, offset));
      }
      const float rescale = __expf(heads.max[h] - max);
      heads.max[h] = max;
      heads.sum[h] *= rescale;
#pragma unroll
      for (int i = 0; i < 8; ++i) heads.o[h][i] *= rescale;
#pragma unroll
      for (int s = 0; s < STEPS; ++s) {
        score[h][s] = __expf(score[h][s] - max);
        heads.sum[h] += score[h][s];
      }
    }
#pragma unroll
    for (int s = 0; s < STEPS; ++s) {
      const Floats8 value = floats(v[s]);
#pragma unroll
      for (int h = 0; h < HEADS; ++h) {
#pragma unroll
        for (int i = 0; i < 8; ++i) heads.o[h][i] += score[h][s] * value.at[i];
      }
    }
  }
  return heads;
}

// Merges the warps of the block. Calls store(head, element, max, sum, o) once for each of the DIM
// elements of the `count` heads.
template <int DIM, int HEADS, class Store>
__device__ void merge_warps(Heads<HEADS>& heads, int count, const Store& store) {
  constexpr int LANES = DIM / 8;
  __shared__ float maxima[HEADS][WARPS], sums[HEADS][WARPS], outputs[HEADS][WARPS][DIM];
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
#pragma unroll
  for (int h = 0; h < HEADS; ++h) {
#pragma unroll
    for (int offset = LANES; offset < 32; offset *= 2) {
      heads.sum[h] += __shfl_xor_sync(0xffffffffu, heads.sum[h], offset);
#pragma unroll
      for (int i = 0; i < 8; ++i) {
        heads.o[h][i] += __shfl_xor_sync(0xffffffffu, heads.o[h][i], offset);
      }
    }
    if (lane == 0) {
      maxima[h][warp] = heads.max[h];
      sums[h][warp] = heads.sum[h];
    }
#pragma unroll
    for (int i = 0; i < 8; ++i) {
      if (lane < LANES) outputs[h][warp][8 * lane + i] = heads.o[h][i];
    }
  }
  __syncthreads();
  for (int i = threadIdx.x; i < count * DIM; i += THREADS) {
    const int h = i / DIM, element = i % DIM;
    float max = -CUDART_INF_F;
    for (int w = 0; w < WARPS; ++w) max = fmaxf(max, maxima[h][w]);
    float sum = 0.0f, o = 0.0f;
    for (int w = 0; w < WARPS; ++w) {
      // Not exp(max - max) where no warp has a key: -infinity minus -infinity is NaN.
      const float weight = sums[h][w] > 0.0f ? __expf(maxima[h][w] - max) : 0.0f;
      sum += weight * sums[h][w];
      o += weight * outputs[h][w][element];
    }
    store(h, element, max, sum, o);
  }
}
