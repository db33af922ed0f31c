#pragma once
// Small vectors: data and flag travel together, in one 16-byte store (NCCL calls this LL).

#include "flags.h"

constexpr int MOST_PACKETS = 1 << 15;  // of two elements: up to 256 KiB

/// Behind the flags in each device's scratch. A call uses one of the two sets: a peer may still read
/// the other one, but it has read this one, or it would not have sent the packets of the last call.
struct Slots {
  uint4 packet[2][MAX_GPUS][MOST_PACKETS];
};

__device__ inline Slots* slots_of(const Devices& all, int device) {
  return reinterpret_cast<Slots*>(reinterpret_cast<char*>(all.flags[device]) + (64 << 10));
}

__device__ inline void send(uint4* to, float2 data, unsigned round) {
  asm volatile("st.volatile.global.v4.u32 [%0], {%1, %2, %3, %4};" ::"l"(to),
               "r"(__float_as_uint(data.x)), "r"(round), "r"(__float_as_uint(data.y)), "r"(round)
               : "memory");
}

/// Both halves carry the round: each 8 bytes say by themselves that they have arrived.
__device__ inline float2 receive(const uint4* from, unsigned round) {
  uint4 got;
  do {
    asm volatile("ld.volatile.global.v4.u32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(got.x), "=r"(got.y), "=r"(got.z), "=r"(got.w)
                 : "l"(from)
                 : "memory");
  } while (got.y != round || got.w != round);
  return make_float2(__uint_as_float(got.x), __uint_as_float(got.z));
}

__global__ void packets_kernel(Devices all, int n, unsigned round, int set) {
  const int packets = kata::ceil_div(n, 2);
  const float* x = all.x[all.me];
  float* y = all.y[all.me];
  for (int i = blockIdx.x * THREADS + threadIdx.x; i < packets; i += gridDim.x * THREADS) {
    const bool is_whole = 2 * i + 1 < n;
    const float2 mine = make_float2(x[2 * i], is_whole ? x[2 * i + 1] : 0);
    for (int g = 0; g < all.gpus; ++g)
      if (g != all.me) send(&slots_of(all, g)->packet[set][all.me][i], mine, round);
    float2 sum = make_float2(0, 0);
    for (int g = 0; g < all.gpus; ++g) {
      const float2 next =
          g == all.me ? mine : receive(&slots_of(all, all.me)->packet[set][g][i], round);
      sum = g == 0 ? next : make_float2(sum.x + next.x, sum.y + next.y);
    }
    y[2 * i] = sum.x;
    if (is_whole) y[2 * i + 1] = sum.y;
  }
}
