// Each thread moves 4 x 4 elements as float4 both ways, turned in its own registers on the way.
//
// A 64 x 64 tile and 256 threads. A thread loads four float4, one below the other: a 4 x 4 piece.
// Turned in registers, its four float4 are pieces of rows of the output; they meet their neighbours
// in shared memory and leave as whole rows of 256 bytes. Shared memory holds float4 at column
// c ^ (row / 4): 16-byte accesses go in quarters of a warp, 8 lanes at a time, and this way each
// eight lie in different banks on both sides.
//
// Prediction: 64 bytes in flight for each thread in place of 4: with 2048 threads 128 KiB an SM,
// and 23 KB are enough at 4.3 TB/s and 700 ns; and a quarter of the instructions. Rows of 256 bytes
// in place of 128 are also kinder to memory pages. Near the copy ceiling: 0.13 ms at 8192 x 8192.
// Where rows or cols is not a multiple of 4, float4 would be misaligned on one side: then the same
// tile with 4-byte loads, sixteen of them in flight.
// Measured: 137.3 us at 8192x8192, 95 % of the limit (H200, 2026-11-22)
#include <kata/kata.h>

#include <stdint.h>

constexpr int TILE = 64;
constexpr int TILE4 = TILE / 4;  // float4 in a row of the tile
constexpr int THREADS = TILE4 * TILE4;

// Blocks are numbered along one dimension: gridDim.y would end at 65535.
__device__ int tile_row(int tiles_across) {
  return blockIdx.x / tiles_across * TILE;
}
__device__ int tile_col(int tiles_across) {
  return blockIdx.x % tiles_across * TILE;
}

// rows and cols are multiples of 4 and the pointers of 16 bytes.
__global__ void __launch_bounds__(THREADS)
    transpose_kernel(const float* in, float* out, int rows, int cols, int tiles_across) {
  __shared__ float4 tile[TILE][TILE4];  // the turned tile: [col of in][row of in / 4]
  const int x = threadIdx.x % TILE4;
  const int y = threadIdx.x / TILE4;
  const int row0 = tile_row(tiles_across);
  const int col0 = tile_col(tiles_across);

  const int row = row0 + 4 * y;
  const int col = col0 + 4 * x;
  if (row < rows && col < cols) {
    float4 v[4];
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      v[i] = *reinterpret_cast<const float4*>(&in[static_cast<size_t>(row + i) * cols + col]);
    }
    tile[4 * x + 0][y ^ x] = make_float4(v[0].x, v[1].x, v[2].x, v[3].x);
    tile[4 * x + 1][y ^ x] = make_float4(v[0].y, v[1].y, v[2].y, v[3].y);
    tile[4 * x + 2][y ^ x] = make_float4(v[0].z, v[1].z, v[2].z, v[3].z);
    tile[4 * x + 3][y ^ x] = make_float4(v[0].w, v[1].w, v[2].w, v[3].w);
  }
  __syncthreads();

  const int out_col = row0 + 4 * x;
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    const int line = y + i * TILE4;  // of the turned tile
    const int out_row = col0 + line;
    if (out_row < cols && out_col < rows) {
      *reinterpret_cast<float4*>(&out[static_cast<size_t>(out_row) * rows + out_col]) =
          tile[line][x ^ (line / 4)];
    }
  }
}

// Any rows and cols: a warp moves half a row of the tile at a time.
__global__ void __launch_bounds__(THREADS)
    transpose_any_kernel(const float* in, float* out, int rows, int cols, int tiles_across) {
  __shared__ float tile[TILE][TILE + 1];
  constexpr int ROWS_AT_ONCE = THREADS / TILE;
  const int x = threadIdx.x % TILE;
  const int y = threadIdx.x / TILE;
  const int row0 = tile_row(tiles_across);
  const int col0 = tile_col(tiles_across);

#pragma unroll
  for (int i = 0; i < TILE; i += ROWS_AT_ONCE) {
    const int row = row0 + y + i;
    const int col = col0 + x;
    if (row < rows && col < cols) tile[y + i][x] = in[static_cast<size_t>(row) * cols + col];
  }
  __syncthreads();
#pragma unroll
  for (int i = 0; i < TILE; i += ROWS_AT_ONCE) {
    const int out_row = col0 + y + i;
    const int out_col = row0 + x;
    if (out_row < cols && out_col < rows) {
      out[static_cast<size_t>(out_row) * rows + out_col] = tile[x][y + i];
    }
  }
}

bool aligned(const void* pointer) {
  return reinterpret_cast<uintptr_t>(pointer) % 16 == 0;
}

extern "C" void transpose(const float* in, float* out, int rows, int cols) {
  const int tiles_across = kata::ceil_div(cols, TILE);
  const int grid = tiles_across * kata::ceil_div(rows, TILE);
  if (rows % 4 == 0 && cols % 4 == 0 && aligned(in) && aligned(out)) {
    transpose_kernel<<<grid, THREADS>>>(in, out, rows, cols, tiles_across);
  } else {
    transpose_any_kernel<<<grid, THREADS>>>(in, out, rows, cols, tiles_across);
  }
}
