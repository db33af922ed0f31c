#pragma once
// Rung 7's work on a share: as many lanes per segment as the mean segment of the tile can use, and
// a warp for each segment that is much longer than the mean.

#include "../common/block_sum.h"
#include "merge_share.h"

constexpr int STEPS = 8;  // loads of a lane in flight

struct TileMemory {
  int bounds[TILE + 2];  // part s of the tile has elements bounds[s] to bounds[s + 1] - 1
  int long_parts[TILE / (2 * STEPS)];
  int long_count;
};

// The sum of every LANES-th element from begin + lane on, for LANES lanes.
template <int LANES>
__device__ float lane_sum(const float* x, int begin, int end, int lane) {
  float sum = 0.0f;
  for (int first = begin + lane; first < end; first += STEPS * LANES) {
    float value[STEPS];
#pragma unroll
    for (int k = 0; k < STEPS; ++k) {
      const int i = first + k * LANES;
      value[k] = i < end ? x[i] : 0.0f;
    }
#pragma unroll
    for (int k = 0; k < STEPS; ++k) sum += value[k];
  }
  return sum;
}

// Calls store(s, sum) for each part of up to 2 STEPS LANES elements, and lists the others.
template <int LANES, class Store>
__device__ void add_short_parts(const float* x, TileMemory& memory, int parts, const Store& store) {
  const int lane = threadIdx.x % LANES;
  for (int first = 0; first < parts; first += THREADS / LANES) {  // the same for all lanes
    const int s = first + threadIdx.x / LANES;
    const int begin = s < parts ? memory.bounds[s] : 0;
    const int end = s < parts ? memory.bounds[s + 1] : 0;
    const bool is_short = end - begin <= 2 * STEPS * LANES;
    float sum = is_short ? lane_sum<LANES>(x, begin, end, lane) : 0.0f;
#pragma unroll
    for (int offset = LANES / 2; offset > 0; offset /= 2) {
      sum += __shfl_down_sync(0xffffffffu, sum, offset);
    }
    if (lane > 0 || s >= parts) continue;
    if (is_short) {
      store(s, sum);
    } else {
      memory.long_parts[atomicAdd(&memory.long_count, 1)] = s;
    }
  }
}

// Calls store(s, sum) for the part of each segment that ends in the share, and for the part behind
// the last end, which is number share.segments; lists the long ones instead. All threads call it,
// and may read the list when it returns.
template <class Store>
__device__ void add_short_or_list(const float* tile, const int* offsets, const Share& share,
                                  TileMemory& memory, const Store& store) {
  const int parts = share.segments + 1;
  if (threadIdx.x == 0) {
    memory.long_count = 0;
    memory.bounds[0] = 0;
    memory.bounds[parts] = share.elements;
  }
  for (int s = threadIdx.x; s < share.segments; s += THREADS) {
    memory.bounds[s + 1] = offsets[share.first_segment + s + 1] - share.first_element;
  }
  __syncthreads();
  const int mean = share.elements / parts;
  if (mean <= STEPS) {
    add_short_parts<1>(tile, memory, parts, store);
  } else if (mean <= 2 * STEPS) {
    add_short_parts<2>(tile, memory, parts, store);
  } else if (mean <= 8 * STEPS) {
    add_short_parts<8>(tile, memory, parts, store);
  } else {
    add_short_parts<32>(tile, memory, parts, store);
  }
  __syncthreads();
}

// Adds up the listed parts of up to `most` elements, a warp each.
template <class Store>
__device__ void add_listed(const float* tile, const TileMemory& memory, const Store& store,
                           int most = TILE) {
  for (int e = threadIdx.x / 32; e < memory.long_count; e += THREADS / 32) {
    const int s = memory.long_parts[e], lane = threadIdx.x % 32;
    const int begin = memory.bounds[s], end = memory.bounds[s + 1];
    if (end - begin > most) continue;  // the whole warp
    const float sum = warp_sum(lane_sum<32>(tile, begin, end, lane));
    if (lane == 0) store(s, sum);
  }
}

// Calls store(s, sum) for each part of the share. All threads call it.
template <class Store>
__device__ void add_parts(const float* x, const int* offsets, const Share& share,
                          TileMemory& memory, const Store& store) {
  const float* tile = x + share.first_element;
  add_short_or_list(tile, offsets, share, memory, store);
  add_listed(tile, memory, store);
}
