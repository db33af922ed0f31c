#pragma once
// Tiles of C = A B for wgmma: 64 rows by 256 columns for each warpgroup.
//
// Tiles in shared memory are 128 bytes deep, BK<T> elements of k, in swizzled rows of 128 bytes.
// A [M, K] is stored as such rows, and so is a B of bytes, which comes as [N, K]. A B of 16-bit
// elements comes as [K, N] and is stored as four panels of 64 columns, each [BK][64].

#include <kata/kata.h>

#include "aligned_rows.h"
#include "hopper.h"
#include "wgmma.h"

constexpr int WARPGROUP = 128;
constexpr int BN = 256;
constexpr int PANEL = 64 * 128;  // bytes: 64 rows of A, or 64 columns of B
template <class T>
constexpr int BK = 128 / sizeof(T);

template <class T>
constexpr bool N_MAJOR = sizeof(T) == 2;

template <int BM>
struct alignas(1024) Tiles {
  char A[BM * 128];
  char B[BN * 128];
};

// What the TMA unit must know of A [M, K] and B. The elements outside, up to the tile's edges, are
// read as zeros.
template <class T>
CUtensorMap map_of_A(AlignedRows<T> A, int M, int K, int box_rows) {
  return tensor_map(A.data, M, K, A.stride, box_rows);
}
template <class T>
CUtensorMap map_of_B(AlignedRows<T> B, int N, int K) {
  return N_MAJOR<T> ? tensor_map(B.data, K, N, B.stride, 64) : tensor_map(B.data, N, K, B.stride, 64);
}

// Row and column of B's box of panel p.
template <class T>
__device__ int2 panel_of_B(int col0, int k0, int p) {
  return N_MAJOR<T> ? make_int2(k0, col0 + 64 * p) : make_int2(col0 + 64 * p, k0);
}

// Starts the copies of both tiles; `full` ends its phase when they have come. For one thread.
template <class T, int BM>
__device__ void load_tiles(Tiles<BM>& tiles, const CUtensorMap& A, const CUtensorMap& B, int row0,
                           int col0, int k0, Barrier* full) {
  arrive_expecting(full, sizeof(Tiles<BM>));
  load_box(tiles.A, A, row0, k0, full);
#pragma unroll
  for (int p = 0; p < BN / 64; ++p) {
    const int2 at = panel_of_B<T>(col0, k0, p);
    load_box(tiles.B + p * PANEL, B, at.x, at.y, full);
  }
}

// The same for a block of a cluster whose blocks share B's tile: each block loads its own A and
// some of the panels, for all blocks.
template <class T, int CLUSTER, int BM>
__device__ void load_shared_tiles(Tiles<BM>& tiles, const CUtensorMap& A, const CUtensorMap& B,
                                  int row0, int col0, int k0, int rank, Barrier* full) {
  arrive_expecting(full, sizeof(Tiles<BM>));
  load_box(tiles.A, A, row0, k0, full);
  constexpr int SHARE = BN / 64 / CLUSTER;
#pragma unroll
  for (int i = 0; i < SHARE; ++i) {
    const int p = rank * SHARE + i;
    const int2 at = panel_of_B<T>(col0, k0, p);
    load_box_multicast(tiles.B + p * PANEL, B, at.x, at.y, full, (1 << CLUSTER) - 1);
  }
}

// The stages that a producer fills while consumers multiply, with two barriers each: `full` ends a
// phase when the bytes of the stage have come, `empty` when all consumers have read it.
template <int BM, int STAGES>
struct Ring {
  Tiles<BM> tiles[STAGES];
  Barrier full[STAGES], empty[STAGES];

  // By one thread; a barrier must follow.
  __device__ void init_barriers(int consumers) {
    for (int s = 0; s < STAGES; ++s) {
      init(&full[s], 1);
      init(&empty[s], consumers);
    }
    fence_init();
  }
};

// Where a producer or a consumer is in the ring. The parity is that of the trip: consumers wait for
// phase `parity` of full, producers for the phase before it of empty, which ends the trip before.
template <int STAGES>
struct Place {
  int stage = 0, parity = 0;
  __device__ void advance() {
    if (++stage == STAGES) {
      stage = 0;
      parity ^= 1;
    }
  }
};

// The order of the tiles of C: HEIGHT rows of tiles at a time, column by column. What runs at one
// time is then nearly square, and reads few different rows of A and columns of B.
struct TileOrder {
  static constexpr int HEIGHT = 8;
  int rows, cols;  // of tiles

  __host__ __device__ int count() const { return rows * cols; }

  // Row and column of a tile.
  __device__ int2 operator[](int index) const {
    const int band = index / (HEIGHT * cols) * HEIGHT, height = min(HEIGHT, rows - band);
    const int in_band = index - band * cols;
    return make_int2(band + in_band % height, in_band / height);
  }
};

inline int processors() {
  static const int count = [] {
    int device = 0, count = 1;
    cudaGetDevice(&device);
    cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, device);
    return count;
  }();
  return count;
}

// Starts sum (+)= A B for 64 rows and one tile's depth: four wgmmas, each 32 bytes of k deep. A step
// along rows of 128 bytes is 32 bytes; a step down the rows of a panel of B [BK][64] is 16 rows.
template <class T>
__device__ void start_product(uint32_t (&sum)[128], const char* A, const char* B, bool add) {
  const uint64_t a = tile_descriptor(A, 0);
  const uint64_t b = tile_descriptor(B, N_MAJOR<T> ? PANEL : 0);
  constexpr int STEP = 32, STEP_B = N_MAJOR<T> ? 16 * 128 : 32;
  wgmma_fence();
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    wgmma<T>(sum, a + (i * STEP >> 4), b + (i * STEP_B >> 4), add || i > 0);
  }
  wgmma_commit();
}

// A sum as the type that wgmma made.
template <class T>
__device__ auto value(uint32_t bits) {
  if constexpr (N_MAJOR<T>) {
    return __uint_as_float(bits);
  } else {
    return static_cast<int>(bits);
  }
}

// store(row, col, x, y) for each pair of neighbouring columns of this thread, also outside C.
template <class T, class Store>
__device__ void for_each_pair(const uint32_t (&sum)[128], int row0, int col0, const Store& store) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x % WARPGROUP / 32;
#pragma unroll
  for (int i = 0; i < 64; ++i) {
    const int row = row0 + 16 * warp + lane / 4 + i % 2 * 8;
    const int col = col0 + i / 2 * 8 + lane % 4 * 2;
    store(row, col, value<T>(sum[2 * i]), value<T>(sum[2 * i + 1]));
  }
}
