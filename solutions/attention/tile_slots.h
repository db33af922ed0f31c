#pragma once
// The slots of rungs 8 and 9: tiles of 64 rows of keys or of values, which a warp copies while
// others read them.
//
// Keys and values alternate: use 2 n of a slot is keys of tile n, use 2 n + 1 its values.

#include <kata/kata.h>

#include "../common/hopper.h"

constexpr int BN = 64;  // rows of a tile

template <int D, int SLOTS, int READERS>
struct TileSlots {
  static constexpr int PITCH = D + 4;  // 8 lanes that read 16 bytes of 8 rows use all 32 banks

  float tiles[SLOTS][BN][PITCH];
  Barrier full[SLOTS], empty[SLOTS];

  // Barriers, and zeros where no copy will write. For the whole block; a barrier must follow.
  __device__ void start(int d) {
    if (threadIdx.x == 0) {
      for (int s = 0; s < SLOTS; ++s) {
        init(&full[s], 32);
        init(&empty[s], READERS);
      }
      fence_init();
    }
    if (d < D) {
      for (int i = threadIdx.x; i < SLOTS * BN * D; i += blockDim.x) {
        tiles[i / D / BN][i / D % BN][i % D] = 0.0f;
      }
      fence_async();  // these zeros, before copies by another path
    }
  }

  __device__ float (*tile(int use))[PITCH] { return tiles[use % SLOTS]; }
  __device__ void wait_for(int use) { wait(&full[use % SLOTS], use / SLOTS % 2); }
  __device__ void release(int use) {
    __syncwarp();
    if (threadIdx.x % 32 == 0) arrive(&empty[use % SLOTS]);
  }

  // For one warp: rows first ... of x[end, d] to the slot, zeros past the end. Rows of whole 16
  // bytes are copied by the TMA unit, others by the lanes.
  __device__ void copy(int use, const float* x, int first, int end, int d) {
    const int slot = use % SLOTS, lane = threadIdx.x % 32;
    const int rows = min(BN, end - first), copied = d % 4 == 0 ? rows : 0;
    const float* from = x + static_cast<size_t>(first) * d;
    wait(&empty[slot], use / SLOTS % 2 ^ 1);
    for (int i = copied * d + lane; i < BN * d; i += 32) {
      tiles[slot][i / d][i % d] = i < rows * d ? from[i] : 0.0f;
    }
    const int bytes = d * sizeof(float), lane_rows = (copied + 31 - lane) / 32;
    arrive_expecting(&full[slot], lane_rows * bytes);
    for (int row = lane; row < copied; row += 32) {
      load_bytes(tiles[slot][row], from + static_cast<size_t>(row) * d, bytes, &full[slot]);
    }
  }

  __device__ void copy_all(const float* K, const float* V, int begin, int end, int d) {
#pragma unroll 1
    for (int use = 0; begin + use / 2 * BN < end; ++use) {
      copy(use, use % 2 == 0 ? K : V, begin + use / 2 * BN, end, d);
    }
  }
};

__device__ inline float exp2_approx(float x) {
  float y;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
}
