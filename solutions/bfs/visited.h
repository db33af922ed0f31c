#pragma once
// One bit per vertex: whether it has been found.

#include <cuda_runtime.h>

#include "claim.h"

__host__ __device__ inline int words_of(int vertices) {
  return vertices / 32 + (vertices % 32 != 0);
}
__device__ inline unsigned bit_of(int vertex) {
  return 1u << (vertex % 32);
}

// The bits of this moment, which other threads set.
struct Bits {
  unsigned* visited;
  int* distance;
  int level;

  __device__ bool is_new(int vertex) const {
    return (observe(&visited[vertex / 32]) & bit_of(vertex)) == 0;
  }
  __device__ bool claim(int vertex) const {
    if (atomicOr(&visited[vertex / 32], bit_of(vertex)) & bit_of(vertex)) return false;
    distance[vertex] = level;
    return true;
  }
};

// An older copy is asked first. No thread writes it during the level, so L1 keeps it: 2^20 vertices
// take 128 KiB.
struct FilteredBits : Bits {
  const unsigned* before;

  __device__ bool is_new(int vertex) const {
    return (before[vertex / 32] & bit_of(vertex)) == 0 && Bits::is_new(vertex);
  }
};
