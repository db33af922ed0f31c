#pragma once
// The slots of rungs 8 to 11: tiles of 64 rows of keys or of values, which a warp copies while
// others read them.
//
// Keys and values alternate: use 2 n of a slot is keys of tile n, use 2 n + 1 its values.

#include <cuda_pipeline_primitives.h>
#include <kata/kata.h>

#include "../common/hopper.h"

constexpr int BN = 64;  // rows of a tile

inline int processors() {
  int device = 0, count = 1;
  cudaGetDevice(&device);
  cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, device);
  return count;
}

// Tiles of keys in a part, where the parts of `query_tiles` tiles fill `places` once.
inline int tiles_of_part(int places, int query_tiles, int N) {
  const int key_tiles = kata::ceil_div(N, BN);
  return kata::ceil_div(key_tiles, min(max(places / query_tiles, 1), key_tiles));
}

template <int D, int SLOTS, int READERS>
struct TileSlots {
  static constexpr int PITCH = D + 4;  // 8 lanes that read 16 bytes of 8 rows use all 32 banks

  float tiles[SLOTS][BN][PITCH];
  Barrier full[SLOTS], empty[SLOTS];

  // Threads of the last warpgroup that copy: those of one warp if the TMA unit helps, else all.
  __device__ static int copiers(int d) { return d % 4 == 0 ? 32 : 128; }

  // Barriers, and zeros where no copy will write. For the whole block; a barrier must follow.
  __device__ void start(int d) {
    if (threadIdx.x == 0) {
      for (int s = 0; s < SLOTS; ++s) {
        init(&full[s], copiers(d));
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

  // For the last warpgroup: all tiles of keys and values, zeros past the end.
  __device__ void copy_all(const float* K, const float* V, int begin, int end, int d) {
    if (threadIdx.x % 128 >= copiers(d)) return;
#pragma unroll 1
    for (int use = 0; begin + use / 2 * BN < end; ++use) {
      const int first = begin + use / 2 * BN, slot = use % SLOTS, rows = min(BN, end - first);
      const float* const from = (use % 2 == 0 ? K : V) + static_cast<size_t>(first) * d;
      wait(&empty[slot], use / SLOTS % 2 ^ 1);
      if (d % 4 == 0) {
        copy_rows(slot, from, rows, d);
      } else {
        copy_floats(slot, from, rows, d);
      }
    }
  }

 private:
  // Rows of whole 16 bytes, each by a copy of the TMA unit.
  __device__ void copy_rows(int slot, const float* from, int rows, int d) {
    const int lane = threadIdx.x % 32, bytes = d * sizeof(float),
              lane_rows = (rows + 31 - lane) / 32;
#pragma unroll 1
    for (int i = rows * d + lane; i < BN * d; i += 32) tiles[slot][i / d][i % d] = 0.0f;
    arrive_expecting(&full[slot], lane_rows * bytes);
#pragma unroll 1
    for (int row = lane; row < rows; row += 32) {
      load_bytes(tiles[slot][row], from + static_cast<size_t>(row) * d, bytes, &full[slot]);
    }
  }

  // Other rows, a float by each lane: asynchronously, so that all of a tile is on its way at once.
  __device__ void copy_floats(int slot, const float* from, int rows, int d) {
    const int lane = threadIdx.x % 32, warp = threadIdx.x % 128 / 32, width = d - lane;
    float* to = &tiles[slot][warp][lane];
    from += warp * d + lane;
#pragma unroll 1
    for (int row = warp; row < BN; row += 4, to += 4 * PITCH, from += 4 * d) {
      const int zeros = row < rows ? 0 : 4;  // bytes
#pragma unroll
      for (int c = 0; c < D; c += 32) {
        if (c < width) __pipeline_memcpy_async(to + c, from + c, 4, zeros);
      }
    }
    __pipeline_commit();
    __pipeline_wait_prior(0);
    arrive(&full[slot]);
  }
};

__device__ inline float exp2_approx(float x) {
  float y;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
}
