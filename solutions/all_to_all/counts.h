#pragma once
// Who sends which rows to this device: counts that only the devices know.

#include <cuda_bf16.h>

#include "../common/devices.h"

/// What a kernel on device `me` reads.
struct Sources {
  const __nv_bfloat16* x[MAX_GPUS];
  const int* send[MAX_GPUS];
  int gpus, me;
};

inline Sources sources_of(const __nv_bfloat16* const* x, const int* const* send, int gpus) {
  Sources all = {};
  all.gpus = gpus;
  for (int g = 0; g < gpus; ++g) {
    all.x[g] = x[g];
    all.send[g] = send[g];
  }
  return all;
}

/// The rows that a source has for this device.
struct Part {
  int first, count;  ///< row of x[source], and how many
};

__device__ inline Part part_of(const Sources& all, int source) {
  Part part = {0, all.send[source][all.me]};
  for (int h = 0; h < all.me; ++h) part.first += all.send[source][h];
  return part;
}

/// All of them in shared memory: a count is read across the link once per block.
__device__ inline void load_parts(const Sources& all, Part* parts) {
  if (threadIdx.x < all.gpus) parts[threadIdx.x] = part_of(all, threadIdx.x);
  __syncthreads();
}

/// The row that belongs in row `row` of y, or null behind the last one.
__device__ inline const __nv_bfloat16* source_row(const Sources& all, const Part* parts, int row,
                                                  int dim) {
  for (int s = 0; s < all.gpus; ++s) {
    if (row < parts[s].count) return all.x[s] + static_cast<long long>(parts[s].first + row) * dim;
    row -= parts[s].count;
  }
  return nullptr;
}
