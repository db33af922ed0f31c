#pragma once
// Tiles of matrices whose rows begin anywhere, not only at multiples of 16 bytes.
//
// The TMA unit takes bases, strides and first columns at multiples of 16 bytes only. But the rows r
// with the same r % sets are a multiple of 16 bytes apart: they form a matrix of their own, with a
// tensor map of its own, whose base is rounded down to 16 bytes. All its rows begin the same number
// of bytes after that. The boxes are 16 bytes wider than the tile, and each thread shifts its cells
// of 16 bytes into place: the end of one copied cell and the start of the next.

#include <algorithm>

#include "hopper.h"

template <class T>
struct AnyRows {
  static constexpr int MOST_SETS = 16 / sizeof(T);
  static constexpr int CELLS = 8, BOX_CELLS = sizeof(T) == 2 ? 9 : 10;  // boxes at 128 bytes
  CUtensorMap maps[MOST_SETS];
  int cols, sets;
  int box_rows;  // of each set

  // A tile of 128 bytes of each row, as copied and in its place.
  template <int ROWS>
  using Boxes = uint4[ROWS * BOX_CELLS];
  template <int ROWS>
  using Tile = uint4[ROWS * CELLS];

  static int sets_of(int cols) { return MOST_SETS / std::min(cols & -cols, MOST_SETS); }

  // `data` must be a multiple of 16 bytes, and there must be a row in each set.
  AnyRows(const T* data, int rows, int cols, int tile_rows)
      : cols(cols), sets(sets_of(cols)), box_rows(tile_rows / sets) {
    static const auto encode = [] {
      void* function = nullptr;
      cudaDriverEntryPointQueryResult found;
      cudaGetDriverEntryPoint("cuTensorMapEncodeTiled", &function, cudaEnableDefault, &found);
      return reinterpret_cast<PFN_cuTensorMapEncodeTiled_v12000>(function);
    }();
    for (int set = 0; set < sets; ++set) {
      const int shift = set * cols % MOST_SETS;
      const cuuint64_t size[] = {static_cast<cuuint64_t>(cols + shift),
                                 static_cast<cuuint64_t>((rows - 1 - set) / sets + 1)};
      const cuuint64_t stride[] = {sizeof(T) * cols * sets};
      const cuuint32_t box[] = {BOX_CELLS * MOST_SETS, static_cast<cuuint32_t>(box_rows)};
      const cuuint32_t steps[] = {1, 1};
      const CUresult status =
          encode(&maps[set], tensor_type<T>(), 2, const_cast<T*>(data) + set * cols - shift, size,
                 stride, box, steps, CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE,
                 CU_TENSOR_MAP_L2_PROMOTION_L2_256B, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
      if (status != CUDA_SUCCESS) fprintf(stderr, "cuTensorMapEncodeTiled: error %d\n", status);
    }
  }

  // Starts the copy of one set's box: zeros outside the matrix. row0 and col0 are multiples of 64.
  template <int ROWS>
  __device__ void copy(Boxes<ROWS>& boxes, int set, int row0, int col0, Barrier* full) const {
    load_box(&boxes[set * box_rows * BOX_CELLS], maps[set], row0 / sets, col0, full);
  }

  // Moves the cells to their places, in the 128-byte swizzle. A thread's rows are of one set.
  template <int ROWS, int THREADS>
  __device__ void shift(Tile<ROWS>& tile, const Boxes<ROWS>& boxes) const {
    static_assert(THREADS / CELLS % MOST_SETS == 0, "a thread's rows are of one set");
    const int first = threadIdx.x / CELLS, cell = threadIdx.x % CELLS, set = first % sets;
    const int bytes = set * cols % MOST_SETS * static_cast<int>(sizeof(T));
    const int first_copied = set * box_rows + first / sets, step = THREADS / CELLS / sets;
#pragma unroll
    for (int i = 0; i < ROWS * CELLS / THREADS; ++i) {
      const int row = first + i * (THREADS / CELLS);
      const uint4* const from = &boxes[(first_copied + i * step) * BOX_CELLS + cell];
      const uint4 x = from[0], y = from[1];
      uint32_t words[] = {x.x, x.y, x.z, x.w, y.x, y.y, y.z, y.w};
#pragma unroll
      for (int w = 0; w < 6; ++w) words[w] = bytes & 8 ? words[w + 2] : words[w];
#pragma unroll
      for (int w = 0; w < 5; ++w) words[w] = bytes & 4 ? words[w + 1] : words[w];
#pragma unroll
      for (int w = 0; w < 4; ++w) {
        words[w] = __funnelshift_r(words[w], words[w + 1], bytes % 4 * 8);
      }
      tile[row * CELLS + (cell ^ row % 8)] = make_uint4(words[0], words[1], words[2], words[3]);
    }
  }
};
