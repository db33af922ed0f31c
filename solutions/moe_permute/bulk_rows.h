#pragma once
// Rows moved by bulk copies, through shared memory: rungs 5 to 8.

#include <stdio.h>

#include "../conv1d/bulk_store.h"
#include "counting_sort.h"
#include "push_rows.h"

constexpr int LEAST_BULK_DIM = 1024;  // for shorter rows a copy per row costs more than it saves
constexpr int MOST_BULK_DIM = 16384;  // 32 KB of shared memory

// One warp per token. Lane 0 loads the row; lane j stores it for slot j.
inline __global__ void bulk_kernel(const __nv_bfloat16* x, const int* position, __nv_bfloat16* y,
                                   int dim, int k) {
  extern __shared__ __align__(128) unsigned char row[];
  __shared__ Barrier loaded;
  const size_t token = blockIdx.x;
  const int bytes = dim * static_cast<int>(sizeof(__nv_bfloat16));
  if (threadIdx.x == 0) {
    init(&loaded, 1);
    fence_init();
    arrive_expecting(&loaded, bytes);
    load_bytes(row, x + token * dim, bytes, &loaded);
  }
  __syncwarp();  // the barrier exists
  cudaGridDependencySynchronize();  // the places are there, after an early launch too
  if (threadIdx.x >= k) return;
  const int place = position[token * k + threadIdx.x];
  wait(&loaded, 0);
  store_bytes(y + static_cast<size_t>(place) * dim, row, bytes);
  wait_stores_read<0>();  // the block's memory must outlive the stores
}

// EARLY: the blocks start before the kernel that writes `position` has ended.
template <bool EARLY = false>
void copy_rows(const __nv_bfloat16* x, const int* position, __nv_bfloat16* y, int tokens, int dim,
               int k) {
  if (dim < LEAST_BULK_DIM || dim > MOST_BULK_DIM || !rows_are_aligned(x, y, dim)) {
    return push_rows(x, position, y, tokens, dim, k);
  }
  cudaLaunchAttribute early = {};
  early.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  early.val.programmaticStreamSerializationAllowed = 1;
  cudaLaunchConfig_t config = {};
  config.gridDim = dim3(tokens);
  config.blockDim = dim3(32);
  config.dynamicSmemBytes = dim * sizeof(__nv_bfloat16);
  config.attrs = &early;
  config.numAttrs = EARLY ? 1 : 0;
  const cudaError_t status = cudaLaunchKernelEx(&config, bulk_kernel, x, position, y, dim, k);
  if (status != cudaSuccess) fprintf(stderr, "moe_permute: %s\n", cudaGetErrorString(status));
}
