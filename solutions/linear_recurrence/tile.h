#pragma once
// A tile of WIDTH channels in registers: thread t has 16 neighbouring steps of one channel, as
// maps.h numbers segments and columns. With 32 channels a warp reads 128 neighbouring bytes per
// step. With fewer, the tile passes through shared memory, so that a warp still does.

#include "maps.h"

/// Which channels of which sequences of the batch a block has, and how many steps they have.
struct Group {
  size_t first;       // element of step 0
  size_t sequence;    // number of the first channel's sequence among all sequences
  int width, length;  // channels that exist, steps
  int channels;       // floats from step to step

  __device__ size_t first_of(int step) const {
    return first + static_cast<size_t>(step) * channels;
  }

  template <int WIDTH>
  __device__ static Group number(int group, int length, int channels) {
    const int groups = kata::ceil_div(channels, WIDTH);  // of one element of the batch
    const int channel = group % groups * WIDTH;
    const size_t outer = group / groups;
    return {outer * length * channels + channel, outer * channels + channel,
            min(WIDTH, channels - channel), length, channels};
  }
};

// Lanes that read 16 steps apart would meet in two banks: WIDTH unused words after each 32.
template <int WIDTH>
__host__ __device__ constexpr int padded(int i) {
  return i + i / 32 * WIDTH;
}

template <int WIDTH>
struct Tile {
  static constexpr int STEPS = 16;
  static constexpr int LENGTH = TILE_THREADS / WIDTH * STEPS;  // steps of the tile
  static constexpr bool SHARED = WIDTH < 32;
  struct Memory {
    float a[SHARED ? padded<WIDTH>(LENGTH * WIDTH) : 1];
    float b[SHARED ? padded<WIDTH>(LENGTH * WIDTH) : 1];
  };

  float a[STEPS], b[STEPS];

  // How many elements apart two of a thread's own elements are, and where the first one is.
  __device__ static int own(int k) {
    return (threadIdx.x / WIDTH * STEPS + k) * WIDTH + threadIdx.x % WIDTH;
  }
  // Element k of the thread where neighbouring threads have neighbouring elements.
  __device__ static int coalesced(int k) { return threadIdx.x + TILE_THREADS * k; }
  // How far the element is behind the first one of the tile, or -1 outside the arrays.
  __device__ static int offset(const Group& group, int start, int element) {
    const int t = element / WIDTH, column = element % WIDTH;
    if (t >= group.length - start || column >= group.width) return -1;
    return t * group.channels + column;
  }

  // The steps from `start` on. Steps and channels that do not exist change nothing.
  __device__ void load(const float* all_a, const float* all_b, const Group& group, int start,
                       Memory& memory) {
    const size_t first = group.first_of(start);
#pragma unroll
    for (int k = 0; k < STEPS; ++k) {
      const int i = offset(group, start, SHARED ? coalesced(k) : own(k));
      a[k] = i >= 0 ? all_a[first + i] : 1.0f;
      b[k] = i >= 0 ? all_b[first + i] : 0.0f;
    }
    if constexpr (SHARED) {
#pragma unroll
      for (int k = 0; k < STEPS; ++k) {
        memory.a[padded<WIDTH>(coalesced(k))] = a[k];
        memory.b[padded<WIDTH>(coalesced(k))] = b[k];
      }
      __syncthreads();
#pragma unroll
      for (int k = 0; k < STEPS; ++k) {
        a[k] = memory.a[padded<WIDTH>(own(k))];
        b[k] = memory.b[padded<WIDTH>(own(k))];
      }
    }
    if (start == 0 && threadIdx.x < WIDTH) a[0] = 0.0f;  // h before the first step is 0
  }

  __device__ Map map() const {
    Map map{1.0f, 0.0f};
#pragma unroll
    for (int k = 0; k < STEPS; ++k) map = then(map, {a[k], b[k]});
    return map;
  }

  // `value`: h before the thread's first step.
  __device__ void store(float* h, float value, const Group& group, int start,
                        Memory& memory) const {
    float* to = h + group.first_of(start);
    float values[STEPS];
#pragma unroll
    for (int k = 0; k < STEPS; ++k) values[k] = value = a[k] * value + b[k];
    if constexpr (SHARED) {
#pragma unroll
      for (int k = 0; k < STEPS; ++k) memory.a[padded<WIDTH>(own(k))] = values[k];
      __syncthreads();
#pragma unroll
      for (int k = 0; k < STEPS; ++k) values[k] = memory.a[padded<WIDTH>(coalesced(k))];
    }
#pragma unroll
    for (int k = 0; k < STEPS; ++k) {
      const int i = offset(group, start, SHARED ? coalesced(k) : own(k));
      if (i >= 0) to[i] = values[k];
    }
  }
};
