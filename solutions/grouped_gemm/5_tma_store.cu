// The TMA unit stores boxes of 16 rows and 64 columns, while the block is at the next tile.
//
// As in hgemm's rung 11, but each warp has a box of its own in shared memory, so that no other warp
// waits for it, and a group may end within a tile: only the warp whose 16 rows hold the end stores
// pairs of results. Rows of C that are not multiples of 16 bytes are stored as in rung 4.
//
// Prediction: hgemm's tiles took 4.5 us less by this, and a warp's boxes follow each other with
// less overlap than there: 3.5 us less for each of 31 tiles of an SM at 8 x 8192 x 4096 x 14336,
// 1325 us instead of 1432. 5 tiles at 64 x 8192 x 2048 x 1536 and at 8 x 4096 x 2048 x 4096: 128 us
// instead of 145, and 118 instead of 134. Missed: 1353 at 8 x 8192, where rung 4 takes 1391 beside.
// Measured: 136.3 us at 64x8192x2048x1536, 76 % of the limit (H200, 2026-11-30)
#include "persistent.h"

struct StoreBoxes {
  CUtensorMap C;
  StoreGroup by_pairs;

  __device__ void operator()(const uint32_t (&sum)[128], const GroupTile& tile,
                             GroupMemory& memory) const {
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    const int row0 = tile.row0 + warp * BOX_ROWS;
    if (row0 >= tile.end) return;
    if (row0 + BOX_ROWS > tile.end) return by_pairs(sum, tile, memory);
#pragma unroll
    for (int p = 0; p < BN / 64; ++p) {
      char* const box = memory.boxes[warp];
      if (lane == 0) wait_stores_read<0>();
      __syncwarp();
      write_packed(box, sum + 32 * p, 0, 0, PackBf16());
      fence_async();
      __syncwarp();
      if (lane == 0) store_box(C, row0, tile.col0 + 64 * p, box);
    }
  }

  struct PackBf16 {
    __device__ uint32_t packed(int, int, float x, float y) const {
      const __nv_bfloat162 pair = __floats2bfloat162_rn(x, y);
      return reinterpret_cast<const uint32_t&>(pair);
    }
  };
};

extern "C" void grouped_gemm(const __nv_bfloat16* A, const __nv_bfloat16* B, const int* offsets,
                             __nv_bfloat16* C, int groups, int M, int K, int N) {
  const StoreGroup by_pairs = {C, N};
  if (N % 8 == 0) {
    const StoreBoxes by_boxes = {tensor_map(C, M, N, N, BOX_ROWS), by_pairs};
    multiply_groups(A, B, offsets, by_boxes, groups, M, K, N);
  } else {
    multiply_groups(A, B, offsets, by_pairs, groups, M, K, N);
  }
}
