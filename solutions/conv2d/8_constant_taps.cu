// Wide kernels with taps as operands of the FMAs: from constant memory, 20 outputs per thread.
//
// As in rung 8 of conv1d: all lanes use the same tap, so the compiler keeps it in a uniform
// register, and an FMA reads only two of a thread's registers. The width of the kernel is a
// template parameter, filled up with zeros to 15 or 31, so a row has no remainder to branch for.
// 20 / 4 is odd: eight threads read from all 32 banks without padding, and copies have 16 bytes.
// A kernel cannot write constant memory that the next one reads: the taps are padded in device
// memory, and a copy brings them over. Up to 7 columns see rung 7.
//
// Prediction: 620 of 654 instructions of a row are FMAs. 550 us at 31 x 31, 95 us at 15 x 15.
// Measured: 599.1 us at 4096x4096x31x31, 80 % of the limit (H100 80GB HBM3, 2026-11-25)
#include "../common/scratch.h"
#include "staged_tiles.h"
#include "wide_kernel.h"

constexpr int R = 20;          // outputs per thread
constexpr int V = R / 4;       // the same in vectors
constexpr int WINDOW = V + 1;  // vectors of inputs in registers
constexpr int ACROSS = 8;
constexpr int THREADS = 128;
constexpr int TILE_ROWS = THREADS / ACROSS, TILE_COLS = ACROSS * R;
constexpr int MAX_KERNEL = 31;
constexpr int TAPS_PITCH = 32;

__constant__ float4 const_taps[MAX_KERNEL * TAPS_PITCH / 4];

// A block per row of the kernel, a thread per place.
__global__ void pad_taps(const float* w, float* padded, int kernel_cols) {
  const int row = blockIdx.x, col = threadIdx.x;
  padded[row * TAPS_PITCH + col] = col < kernel_cols ? w[row * kernel_cols + col] : 0.0f;
}

// The window is a ring: vector v of a row is in place v % WINDOW.
__device__ __forceinline__ void load_vector(float (&window)[4 * WINDOW], const float4* in, int v) {
  float* const to = window + v % WINDOW * 4;
  to[0] = in[v].x, to[1] = in[v].y, to[2] = in[v].z, to[3] = in[v].w;
}

// acc[r] += the sum over t < WIDTH of input r + t, from `in` on, times tap t.
template <int WIDTH>
__device__ __forceinline__ void add_row(float (&acc)[R], const float4* in, const float4* taps) {
  float window[4 * WINDOW];
#pragma unroll
  for (int v = 0; v < V; ++v) load_vector(window, in, v);
#pragma unroll
  for (int t = 0; t < WIDTH; ++t) {
    if (t % 4 == 0) load_vector(window, in, t / 4 + V);
    const float4 w = taps[t / 4];
    const float tap = t % 4 == 0 ? w.x : t % 4 == 1 ? w.y : t % 4 == 2 ? w.z : w.w;
#pragma unroll
    for (int r = 0; r < R; ++r) acc[r] += window[(t + r) % (4 * WINDOW)] * tap;
  }
}

template <int WIDTH>
__global__ void __launch_bounds__(THREADS, 6)
    constant_kernel(const float* x, float* y, int rows, int cols, int kernel_rows, int kernel_cols,
                    int tiles_across) {
  extern __shared__ float4 tile4[];  // [TILE_ROWS + kernel_rows - 1][PITCH / 4]
  constexpr int PITCH = TILE_COLS + (WIDTH + 3) / 4 * 4;
  const auto in_tile = [](int r, int c) { return r * PITCH + c; };
  float* tile = reinterpret_cast<float*>(tile4);
  const int tid = threadIdx.x, height = TILE_ROWS + kernel_rows - 1;
  const int row0 = blockIdx.x / tiles_across * TILE_ROWS;
  const int col0 = blockIdx.x % tiles_across * TILE_COLS;
  if (cols % 4 == 0) {
    load_tile<4>(tile, in_tile, x, rows, cols, {row0, col0, height, PITCH}, tid, THREADS);
  } else {
    load_tile<1>(tile, in_tile, x, rows, cols, {row0, col0, height, PITCH}, tid, THREADS);
  }
  tiles_loaded();

  const int row = tid / ACROSS, col = tid % ACROSS * R;
  const float4* in = tile4 + in_tile(row, col) / 4;
  const float4* taps = const_taps;
  float acc[R] = {};
#pragma unroll 2
  for (int a = 0; a < kernel_rows; ++a, in += PITCH / 4, taps += TAPS_PITCH / 4) {
    add_row<WIDTH>(acc, in, taps);
  }

  __syncthreads();  // all threads are done with the inputs
#pragma unroll
  for (int r = 0; r < R; r += 4) {
    tile4[in_tile(row, col + r) / 4] = make_float4(acc[r], acc[r + 1], acc[r + 2], acc[r + 3]);
  }
  __syncthreads();
  store_tile(tile, in_tile, y, rows - kernel_rows + 1, cols - kernel_cols + 1,
             {row0, col0, TILE_ROWS, TILE_COLS}, tid, THREADS);
}

template <int WIDTH>
void launch_constant(const float* x, const float* w, float* y, int rows, int cols, int kernel_rows,
                     int kernel_cols) {
  static Scratch<float> scratch;
  const size_t taps = kernel_rows * TAPS_PITCH * sizeof(float);
  float* padded = scratch.get(MAX_KERNEL * TAPS_PITCH);
  pad_taps<<<kernel_rows, TAPS_PITCH>>>(w, padded, kernel_cols);
  cudaMemcpyToSymbolAsync(const_taps, padded, taps, 0, cudaMemcpyDeviceToDevice, 0);

  const int tiles_down = kata::ceil_div(rows - kernel_rows + 1, TILE_ROWS);
  const int tiles_across = kata::ceil_div(cols - kernel_cols + 1, TILE_COLS);
  const int bytes = (TILE_ROWS + kernel_rows - 1) * (TILE_COLS + (WIDTH + 3) / 4 * 4) * 4;
  constant_kernel<WIDTH><<<tiles_down * tiles_across, THREADS, bytes>>>(
      x, y, rows, cols, kernel_rows, kernel_cols, tiles_across);
}
extern "C" void conv2d(const float* x, const float* w, float* y, int rows, int cols,
                       int kernel_rows, int kernel_cols) {
  if (launch_square(x, w, y, rows, cols, kernel_rows, kernel_cols)) return;
  if (kernel_cols <= 7) return wide::launch(x, w, y, rows, cols, kernel_rows, kernel_cols);
  if (kernel_cols <= 15) return launch_constant<15>(x, w, y, rows, cols, kernel_rows, kernel_cols);
  launch_constant<31>(x, w, y, rows, cols, kernel_rows, kernel_cols);
}
