// Bulk copies fill a ring in shared memory: one warp starts them, eight warps use what has come.
//
// In rung 8 the loads ahead wait in registers. A warp has six scoreboards to wait for loads, and it
// waits for all loads of one, so less is in flight than the source says. Here an mbarrier per stage
// counts the bytes. A stage is a copy of 2 KB from each of 16 rows; a copy of any size takes some 70
// clocks to start. The scales of the next stage are loaded while this one is computed. pair_rows.h
// reads a stage.
//
// Prediction: 160 KB in flight per SM. A stage takes 824 issue slots per scheduler, and memory needs
// 1870 clocks for it. 14 rounds of tiles for 132 blocks: 34 us at 28672 x 8192, 8.3 at 4096 x 4096.
// Measured: not yet at 28672x8192
#include <kata/kata.h>

#include "../common/grid_size.h"
#include "../common/hopper.h"
#include "pair_rows.h"

constexpr int WARPS = 8;  // and one more that copies
constexpr int CONSUMERS = 32 * WARPS;
constexpr int PAIRS = 2;  // of groups, per warp and stage
constexpr int STAGE_GROUPS = 2 * PAIRS * WARPS;
constexpr int ROW_BYTES = 64 * STAGE_GROUPS;
constexpr int STAGES = 5;
constexpr int CHUNK = 16384;  // halves of x in shared memory
constexpr int SHARED_BYTES = STAGES * ROWS * ROW_BYTES + CHUNK * 2;

struct Ring {
  Barrier full[STAGES], empty[STAGES];
};

// A barrier of all warps but the copying one.
__device__ void consumer_barrier() {
  asm volatile("bar.sync 1, %0;" ::"n"(CONSUMERS) : "memory");
}

// The copying warp: 16 lanes, one row each.
__device__ void copy_tiles(unsigned char* stages, Ring& ring, const uint4* W4, int M, int groups) {
  const int lane = threadIdx.x % 32;
  int n = 0;  // stages filled so far
  for (int first_row = blockIdx.x * ROWS; first_row < M; first_row += gridDim.x * ROWS) {
    const uint4* row = W4 + static_cast<size_t>(min(first_row + lane, M - 1)) * groups * 4;
    for (int group = 0; group < groups; group += STAGE_GROUPS, ++n) {
      const int stage = n % STAGES;
      const int bytes = 64 * min(STAGE_GROUPS, groups - group);
      wait(&ring.empty[stage], n / STAGES % 2 ^ 1);
      if (lane == 0) arrive_expecting(&ring.full[stage], ROWS * bytes);
      __syncwarp();
      unsigned char* to = stages + (stage * ROWS + lane) * ROW_BYTES;
      if (lane < ROWS) load_bytes(to, row + 4 * group, bytes, &ring.full[stage]);
    }
  }
}

__global__ void __launch_bounds__(CONSUMERS + 32, 1)
    gemv_kernel(const uint4* W4, const __half* scale, const uint4* x8, __half* y, int M, int K) {
  extern __shared__ __align__(128) unsigned char stages[];  // [STAGES][ROWS][ROW_BYTES], then x
  __shared__ Ring ring;
  __shared__ float partial[2][WARPS][ROWS];
  uint4* x_pairs = reinterpret_cast<uint4*>(stages + STAGES * ROWS * ROW_BYTES);
  const int warp = threadIdx.x / 32, groups = K / 128, stride = gridDim.x * ROWS;
  if (threadIdx.x < STAGES) {
    init(&ring.full[threadIdx.x], 1);
    init(&ring.empty[threadIdx.x], WARPS);
    fence_init();
  }
  __syncthreads();
  if (warp == WARPS) return copy_tiles(stages, ring, W4, M, groups);

  StageScales<PAIRS, WARPS> next;
  next.load(scale, blockIdx.x * ROWS, 0, M, groups);
  int n = 0;  // stages used so far
  int parity = 0;
  for (int first_row = blockIdx.x * ROWS; first_row < M; first_row += stride) {
    float sums[2] = {};
    for (int first = 0; first < groups; first += STAGE_GROUPS, ++n) {
      if (first % (CHUNK / 128) == 0 && (n == 0 || K > CHUNK)) {
        consumer_barrier();  // the chunk before is no longer needed
        const int count = min(CHUNK, K - 128 * first + 128);  // 128 zeros past the end
        load_x(x_pairs, x8, first * WORDS_PER_GROUP, count / 8, K, CONSUMERS);
        consumer_barrier();
      }
      const auto scales = next;
      const bool last = first + STAGE_GROUPS >= groups;
      next.load(scale, last ? first_row + stride : first_row, last ? 0 : first + STAGE_GROUPS, M,
                groups);
      const int stage = n % STAGES;
      wait(&ring.full[stage], n / STAGES % 2);
#pragma unroll
      for (int p = 0; p < PAIRS; ++p) {
        const int pair = warp + p * WARPS;
        if (first + 2 * pair >= groups) break;
        add_pair(stages + stage * ROWS * ROW_BYTES + 128 * pair, ROW_BYTES,
                 first + 2 * pair + 1 == groups,
                 x_pairs + (first % (CHUNK / 128) + 2 * pair) * WORDS_PER_GROUP, scales.upper[p],
                 scales.lower[p], sums[0], sums[1]);
      }
      __syncwarp();
      if (threadIdx.x % 32 == 0) arrive(&ring.empty[stage]);
    }
    if (threadIdx.x % 4 == 0) {
      partial[parity][warp][threadIdx.x % 32 / 4] = sums[0];
      partial[parity][warp][threadIdx.x % 32 / 4 + 8] = sums[1];
    }
    consumer_barrier();
    if (threadIdx.x < ROWS && first_row + threadIdx.x < M) {
      float sum = 0.0f;
      for (int w = 0; w < WARPS; ++w) sum += partial[parity][w][threadIdx.x];
      y[first_row + threadIdx.x] = __float2half(sum);
    }
    parity ^= 1;
  }
}

extern "C" void w4a16_gemv(const unsigned* W, const __half* scale, const __half* x, __half* y,
                           int M, int K) {
  cudaFuncSetAttribute(gemv_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, SHARED_BYTES);
  const int grid = one_wave(kata::ceil_div(M, ROWS), 1);
  gemv_kernel<<<grid, CONSUMERS + 32, SHARED_BYTES>>>(reinterpret_cast<const uint4*>(W), scale,
                                                      reinterpret_cast<const uint4*>(x), y, M, K);
}
