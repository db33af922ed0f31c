#pragma once
// Kernels on several devices that meet by flags in scratch memory.

#include "../common/devices.h"

constexpr int THREADS = 512;
constexpr int MOST_BLOCKS = 128;  // blocks wait, so all of them must fit on the device at once

/// Begins each device's scratch. Only block b of device h writes round[b][h], and only block b of
/// the owner reads it.
struct Flags {
  unsigned round[MOST_BLOCKS][MAX_GPUS];
};

/// What a kernel on device `me` may reach.
struct Devices {
  const float* x[MAX_GPUS];
  float* y[MAX_GPUS];
  Flags* flags[MAX_GPUS];
  int gpus, me;
};

inline Devices devices_of(const float* const* x, float* const* y, void* const* scratch, int gpus) {
  Devices all = {};
  all.gpus = gpus;
  for (int g = 0; g < gpus; ++g) {
    all.x[g] = x[g];
    all.y[g] = y[g];
    all.flags[g] = static_cast<Flags*>(scratch[g]);
  }
  return all;
}

/// Block b of each device waits for block b of all others. Rounds only grow, so a peer that is ahead
/// does no harm, and flags are never reset. One thread per peer; what the other threads of the block
/// did before comes before its flag, since they meet at __syncthreads().
__device__ inline void meet(const Devices& all, unsigned round) {
  __syncthreads();
  if (threadIdx.x < all.gpus) {
    const int peer = threadIdx.x;
    __threadfence_system();
    *const_cast<volatile unsigned*>(&all.flags[peer]->round[blockIdx.x][all.me]) = round;
    const volatile unsigned* from = &all.flags[all.me]->round[blockIdx.x][peer];
    while (static_cast<int>(*from - round) < 0) {
    }
    __threadfence_system();
  }
  __syncthreads();
}

__device__ inline float4 operator+(float4 a, float4 b) {
  return make_float4(a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w);
}

/// Group i of four elements, from all devices, in the same order everywhere.
__device__ inline float4 sum4(const Devices& all, int i) {
  float4 sum = reinterpret_cast<const float4*>(all.x[0])[i];
  for (int g = 1; g < all.gpus; ++g) sum = sum + reinterpret_cast<const float4*>(all.x[g])[i];
  return sum;
}

__device__ inline float sum1(const Devices& all, int i) {
  float sum = all.x[0][i];
  for (int g = 1; g < all.gpus; ++g) sum += all.x[g][i];
  return sum;
}
