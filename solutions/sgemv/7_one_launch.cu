// The last block of a row adds its pieces: one launch instead of two.
//
// A block writes the sum of its piece, then increments a counter of its row. The block that counts
// last knows that all other sums are written, because every block has a fence between write and
// count. It adds the sums in a fixed order. atomicInc wraps to 0, ready for the next call. The
// counters allow one call at a time, as in one stream. The number of pieces now fits one wave.
//
// Prediction: 2 to 3 us less where rows are split. At 256 x 262144, rung 6 has 1280 blocks for
// 1056 places, 1.2 waves; one wave takes about 10 % less.
// Measured: 67.1 us at 256x262144, 92 % of the limit (H200, 2026-11-23)
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

// Rows are split only if M <= BUSY_BLOCKS / 2, into at most BUSY_BLOCKS pieces in all.
__device__ float piece_sums[BUSY_BLOCKS];
__device__ unsigned int pieces_done[BUSY_BLOCKS / 2];  // per row; 0 between calls

// True in all threads of the last block of the row. Thread 0 wrote this block's sum.
__device__ bool is_last_block(int row) {
  __shared__ bool last;
  if (threadIdx.x == 0) {
    __threadfence();  // the sum is visible before the count
    last = atomicInc(&pieces_done[row], gridDim.x - 1) == gridDim.x - 1;
  }
  __syncthreads();
  __threadfence();  // later reads see the sums that were written before the counts
  return last;
}

// Block (piece, row) sums its piece of the row, and the row's last block adds the pieces.
template <bool VECTOR>
__global__ void __launch_bounds__(THREADS)
    piece_kernel(const float* A, const float* x, float* y, int K, int length) {
  const int pieces = gridDim.x;
  const int piece = blockIdx.x;
  const int row = blockIdx.y;
  const int begin = piece * length;
  const int end = K - begin < length ? K : begin + length;
  const float* row_A = A + static_cast<size_t>(row) * K;
  const float sum = block_sum<THREADS>(partial_dot<THREADS, VECTOR>(row_A, x, begin, end));
  if (pieces == 1) {
    if (threadIdx.x == 0) y[row] = sum;
    return;
  }

  float* row_sums = piece_sums + row * pieces;
  if (threadIdx.x == 0) row_sums[piece] = sum;
  if (!is_last_block(row)) return;  // the whole block
  if (threadIdx.x >= 32) return;    // the whole warp
  float total = 0.0f;
  for (int i = threadIdx.x; i < pieces; i += 32) total += row_sums[i];
  total = group_sum<32>(total);
  if (threadIdx.x == 0) y[row] = total;
}

template <bool VECTOR>
void launch_pieces(const float* A, const float* x, float* y, int M, int K) {
  const int wanted = BUSY_BLOCKS / M;  // 0 if M > BUSY_BLOCKS
  const int max_pieces = kata::ceil_div(K, PIECE);
  const int target = wanted < 1 ? 1 : wanted < max_pieces ? wanted : max_pieces;
  const int length = ((K - 1) / target + 4) / 4 * 4;  // pieces start at multiples of 4
  const int pieces = kata::ceil_div(K, length);
  piece_kernel<VECTOR><<<dim3(pieces, M), THREADS>>>(A, x, y, K, length);
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
