// A long row is cut into pieces, one block each, and a second kernel adds the pieces.
//
// With 16 rows of a million floats, one warp per row is 16 warps on a chip that needs thousands.
// Here a row is as many blocks as fill the chip, of at least 4096 floats each. The second kernel
// adds the sums of the pieces in a fixed order, so the result is the same in every run. Rows of
// 8192 floats get a block even if there are many: then fewer rows are read at a time, and each
// page of DRAM is read in longer pieces.
//
// Prediction: 1024 x 65536 is 268 MB, 61 us at 4379 GB/s, plus a second launch: 65 us, where a
// warp per row fills only an eighth of the chip and takes twice as long. 16384 x 16384: 237 us
// instead of 243.
// Measured: 68.5 us at 1024x65536, 90 % of the limit (H200, 2026-11-23)
#include <kata/kata.h>

#include "row_dot.h"
#include "short_rows.h"

constexpr int THREADS = 256;
constexpr int PIECE = 4096;        // floats that are worth a block: 16 per thread
constexpr int MIN_ROW = 2048;      // shorter rows are left to one warp
constexpr int BUSY_BLOCKS = 1056;  // fill 132 SMs, at 8 blocks of 256 threads each
constexpr int MANY_ROWS = 8448;    // one warp per row fills 132 SMs of 64 warps
constexpr int LONG_ROW = 8192;     // a block for each, however many rows there are
constexpr int MOST_ROWS = 65535;   // gridDim.y

// Rows are split only if M < BUSY_BLOCKS, into at most ceil_div(BUSY_BLOCKS, M) pieces.
__device__ float piece_sums[2 * BUSY_BLOCKS];

// Block (piece, row) writes the sum over its piece of the row to sums[row][piece].
template <bool VECTOR>
__global__ void __launch_bounds__(THREADS)
    piece_kernel(const float* A, const float* x, float* sums, int K, int length) {
  const int piece = blockIdx.x;
  const int row = blockIdx.y;
  const int begin = piece * length;
  const int end = K - begin < length ? K : begin + length;
  const float* row_A = A + static_cast<size_t>(row) * K;
  const float sum = block_sum<THREADS>(partial_dot<THREADS, VECTOR>(row_A, x, begin, end));
  if (threadIdx.x == 0) sums[row * gridDim.x + piece] = sum;
}

// One warp adds the pieces of one row.
__global__ void __launch_bounds__(THREADS) finish_kernel(float* y, int M, int pieces) {
  const int lane = threadIdx.x % 32;
  const int row = blockIdx.x * (THREADS / 32) + threadIdx.x / 32;
  if (row >= M) return;  // the whole warp
  float sum = 0.0f;
  for (int i = lane; i < pieces; i += 32) sum += piece_sums[row * pieces + i];
  sum = group_sum<32>(sum);
  if (lane == 0) y[row] = sum;
}

template <bool VECTOR>
void launch_pieces(const float* A, const float* x, float* y, int M, int K) {
  const int wanted = kata::ceil_div(BUSY_BLOCKS, M);
  const int max_pieces = kata::ceil_div(K, PIECE);
  const int target = wanted < max_pieces ? wanted : max_pieces;
  const int length = ((K - 1) / target + 4) / 4 * 4;  // pieces start at multiples of 4
  const int pieces = kata::ceil_div(K, length);
  if (pieces == 1) {
    piece_kernel<VECTOR><<<dim3(1, M), THREADS>>>(A, x, y, K, length);
    return;
  }
  void* sums = nullptr;
  if (cudaGetSymbolAddress(&sums, piece_sums) != cudaSuccess) return;
  piece_kernel<VECTOR><<<dim3(pieces, M), THREADS>>>(A, x, static_cast<float*>(sums), K, length);
  finish_kernel<<<kata::ceil_div(M, THREADS / 32), THREADS>>>(y, M, pieces);
}

template <bool VECTOR>
void launch(const float* A, const float* x, float* y, int M, int K) {
  if (K < MIN_ROW || (M >= MANY_ROWS && K < LONG_ROW) || M > MOST_ROWS) {
    launch_rows<VECTOR>(A, x, y, M, K);
  } else {
    launch_pieces<VECTOR>(A, x, y, M, K);
  }
}

extern "C" void sgemv(const float* A, const float* x, float* y, int M, int K) {
  if (K % 4 == 0 && is_aligned16(A) && is_aligned16(x)) {
    launch<true>(A, x, y, M, K);
  } else {
    launch<false>(A, x, y, M, K);
  }
}
