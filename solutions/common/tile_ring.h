#pragma once
// A ring of tiles in shared memory, for kernels that need the sum of all earlier tiles to store
// one.
//
// A block stays on its SM and takes every gridDim.x-th tile; number k is its k-th one. WORKERS
// threads do the work. Two more warps serve them: one copies tiles to the ring by the TMA unit, the
// other one adds up the sums that the blocks publish (look_back.h). So a worker can publish the sum
// of a tile, go on with the next tiles, and store the first one some steps later, when the sums of
// all tiles before it have long arrived. All blocks must be resident. They add in the same order in
// each run, so the result is the same in each run.

#include "hopper.h"
#include "look_back.h"

// The barrier of the workers alone.
template <int WORKERS>
__device__ void workers_barrier() {
  asm volatile("bar.sync 1, %0;" ::"n"(WORKERS) : "memory");
}

// Lies in shared memory. SIZE elements per tile, sums of type T. A tile may be stored at most
// STAGES - 2 steps after its sum was published.
template <class T, int SIZE, int STAGES, int WORKERS>
struct TileRing {
  static constexpr int THREADS = WORKERS + 64;
  static constexpr int BYTES = STAGES * SIZE * sizeof(float);  // of `memory`

  Barrier full[STAGES], empty[STAGES], summed[STAGES];
  T sums[STAGES];

  // All threads call it, then meet at a barrier.
  __device__ void start() {
    if (threadIdx.x != 0) return;
    for (int s = 0; s < STAGES; ++s) {
      init(&full[s], 1);
      init(&empty[s], WORKERS / 32);
      init(&summed[s], 1);
    }
    fence_init();
  }

  __device__ static int number(int k) { return blockIdx.x + k * gridDim.x; }
  __device__ static float* stage(float4* memory, int k) {
    return reinterpret_cast<float*>(memory) + k % STAGES * SIZE;
  }

  // One thread calls it. The TMA unit copies multiples of 16 bytes; the last tile may end with one
  // to three elements more.
  __device__ void copy_tiles(float4* memory, const float* x, int n, int tiles) {
    for (int k = 0; number(k) < tiles; ++k) {
      if (k >= STAGES) wait(&empty[k % STAGES], (k / STAGES - 1) % 2);
      const float* from = x + static_cast<size_t>(number(k)) * SIZE;
      float* to = stage(memory, k);
      const int count = min(SIZE, n - number(k) * SIZE);
      const int whole = count / 4 * 4;
      for (int i = whole; i < count; ++i) to[i] = from[i];
      arrive_expecting(&full[k % STAGES], whole * sizeof(float));
      if (whole > 0) load_bytes(to, from, whole * sizeof(float), &full[k % STAGES]);
    }
  }

  // One warp calls it. Five words per lane are those of 160 tiles, one step of 132 blocks.
  __device__ void add_sums(const TileStates& states, int tiles) {
    const int lane = threadIdx.x % 32;
    T before = T(0);
    int next = 0;  // the first tile that `before` does not contain
    for (int k = 0; number(k) < tiles; ++k) {
      const int last = number(k) - 1;
      T sum = T(0);
      for (; next <= last; next += 160) {
        Word words[5];
#pragma unroll
        for (int j = 0; j < 5; ++j)
          words[j] = observe(&states.words[min(next + 32 * j + lane, last)]);
#pragma unroll
        for (int j = 0; j < 5; ++j) {
          const int i = next + 32 * j + lane;
          while (__any_sync(0xffffffffu, tag_of(words[j]) != states.aggregate_tag())) {
            words[j] = observe(&states.words[min(i, last)]);
          }
          sum += i <= last ? value_of<T>(words[j]) : T(0);
        }
      }
      next = last + 1;
      for (int offset = 16; offset > 0; offset /= 2)
        sum += __shfl_xor_sync(0xffffffffu, sum, offset);
      before += sum;
      if (lane == 0) {
        sums[k % STAGES] = before;
        arrive(&summed[k % STAGES]);
      }
      __syncwarp();
    }
  }

  __device__ void wait_for_tile(int k) {
    wait(&full[k % STAGES], k / STAGES % 2);
  }

  // Of all tiles before number k.
  __device__ T sum_before(int k) {
    wait(&summed[k % STAGES], k / STAGES % 2);
    return sums[k % STAGES];
  }

  // A whole warp is done with tile k; another one may take its place.
  __device__ void release(int k) {
    fence_async();
    __syncwarp();
    if (threadIdx.x % 32 == 0) arrive(&empty[k % STAGES]);
  }
};
