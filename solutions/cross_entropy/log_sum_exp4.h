#pragma once
// log_sum_exp.h for a thread that strides through `count` floats by float4, at any alignment.
//
// A row of 50257 floats leaves the next row misaligned. Up to three floats at the head are read one
// by one, until the address is a multiple of 16 bytes, and up to three at the tail. In between,
// UNROLL loads of 16 bytes are in flight, and their values share one comparison with the maximum.

#include "log_sum_exp.h"

#include <stdint.h>

template <int COUNT>
__device__ void add_vectors(LogSumExp& mine, const float4 (&v)[COUNT]) {
  float max = mine.max;
#pragma unroll
  for (int k = 0; k < COUNT; ++k) {
    max = fmaxf(max, fmaxf(fmaxf(v[k].x, v[k].y), fmaxf(v[k].z, v[k].w)));
  }
  float sum = mine.sum * __expf(mine.max - max);
#pragma unroll
  for (int k = 0; k < COUNT; ++k) {
    sum += (__expf(v[k].x - max) + __expf(v[k].y - max)) +
           (__expf(v[k].z - max) + __expf(v[k].w - max));
  }
  mine = {max, sum};
}

template <int THREADS, int UNROLL>
__device__ LogSumExp thread_log_sum_exp(const float* x, int count) {
  const int tid = threadIdx.x;
  const int misaligned = reinterpret_cast<uintptr_t>(x) / sizeof(float) % 4;
  const int head = min(count, (4 - misaligned) % 4);
  const float4* body = reinterpret_cast<const float4*>(x + head);
  const int count4 = (count - head) / 4;

  LogSumExp mine = no_values();
  int i = tid;
  for (; i + (UNROLL - 1) * THREADS < count4; i += UNROLL * THREADS) {
    float4 v[UNROLL];
#pragma unroll
    for (int u = 0; u < UNROLL; ++u) v[u] = body[i + u * THREADS];
    add_vectors(mine, v);
  }
  for (; i < count4; i += THREADS) {
    const float4 v[1] = {body[i]};
    add_vectors(mine, v);
  }
  if (tid < head) add(mine, x[tid]);
  const int tail = head + 4 * count4 + tid;
  if (tail < count) add(mine, x[tail]);
  return mine;
}
