// The last block of a row adds its pieces up: one launch in place of two.
//
// A second kernel for a few hundred sums costs what a launch costs. Here a block that has written
// its piece's sum counts itself at its row, and whoever counts last knows that all the others have
// written: each had its fence between the write and the count. It adds them in their order, so the
// result is still the same at each run. atomicInc wraps to 0 at the last one: the counters are
// ready for the next call. And rows are cut into as many pieces as run at once, not one more: 5
// pieces of each of 256 rows are 1280 blocks on 1056 places, and the second turn is mostly empty.
//
// This assumes one call at a time, as in one stream: two at once would share the counters.
//
// Prediction: 2 to 3 us less wherever rows are cut, a launch behind a kernel that has to end first.
// 16 x 2^20: 29 us in place of 31.4. 256 x 262144, where the pieces' number changes too: 1280
// blocks took 1.2 turns, so about 75 us in place of 83.
// Measured: 75.6 us at 256x262144, 93 % of the limit (H200, 2026-11-22)
#include <kata/kata.h>

#include <stdint.h>

constexpr int THREADS = 256;
constexpr int UNROLL = 4;
constexpr int PIECE = 4096;        // a row of that many floats is worth a block: 16 for each thread
constexpr int BUSY_BLOCKS = 1056;  // 8 blocks of 256 threads fill each of 132 SMs
constexpr int MANY_ROWS = 8448;    // with a warp for each they fill 132 SMs of 64 warps
constexpr unsigned ALL_LANES = 0xffffffffu;

// Rows are cut only where there are fewer than BUSY_BLOCKS / 2, into at most BUSY_BLOCKS pieces.
__device__ float piece_sums[BUSY_BLOCKS];
__device__ unsigned int pieces_done[BUSY_BLOCKS / 2];  // of each row; 0 between two calls

// The sum over each group of LANES neighbours, in all of them.
template <int LANES>
__device__ float group_sum(float value) {
  for (int offset = LANES / 2; offset > 0; offset /= 2) {
    value += __shfl_xor_sync(ALL_LANES, value, offset);
  }
  return value;
}

// Every thread of the block calls this; thread 0 has the result.
__device__ float block_sum(float value) {
  __shared__ float slots[THREADS / 32];
  const int lane = threadIdx.x % 32;
  const int warp = threadIdx.x / 32;
  value = group_sum<32>(value);
  if (lane == 0) slots[warp] = value;
  __syncthreads();
  return group_sum<32>(lane < THREADS / 32 ? slots[lane] : 0.0f);
}

__device__ float dot(float4 a, float4 b) {
  return (a.x * b.x + a.y * b.y) + (a.z * b.z + a.w * b.w);
}

__device__ float at(const float* p, int k, int K) {
  return k < K ? p[k] : 0.0f;
}

// Four elements from the 4 * LANES that begin at `first`: neighbours, or LANES apart, so that lanes
// stay next to each other in each of four loads. Behind the end there are zeros.
template <int LANES, bool VECTOR>
__device__ float4 load(const float* p, int first, int K) {
  const int lane = threadIdx.x % LANES;
  if (VECTOR) {
    const int k = first + 4 * lane;
    return k < K ? *reinterpret_cast<const float4*>(p + k) : make_float4(0.0f, 0.0f, 0.0f, 0.0f);
  }
  const int k = first + lane;
  return make_float4(at(p, k, K), at(p, k + LANES, K), at(p, k + 2 * LANES, K),
                     at(p, k + 3 * LANES, K));
}

// This lane's part of the sum of row_A[k] * x[k] for k in [begin, end).
template <int LANES, bool VECTOR>
__device__ float partial_dot(const float* row_A, const float* x, int begin, int end) {
  constexpr int WIDTH = 4 * LANES;
  float sum = 0.0f;
  for (int first = begin; first < end; first += UNROLL * WIDTH) {
    float4 a[UNROLL];
#pragma unroll
    for (int u = 0; u < UNROLL; ++u) a[u] = load<LANES, VECTOR>(row_A, first + u * WIDTH, end);
#pragma unroll
    for (int u = 0; u < UNROLL; ++u) {
      sum += dot(a[u], load<LANES, VECTOR>(x, first + u * WIDTH, end));
    }
  }
  return sum;
}

// LANES lanes for each row, 4, 8, 16 or 32.
template <int LANES, bool VECTOR>
__global__ void __launch_bounds__(THREADS)
    sgemv_kernel(const float* A, const float* x, float* y, int M, int K) {
  const int row = blockIdx.x * (THREADS / LANES) + threadIdx.x / LANES;
  // Rows of one warp may end at different places: no early return before the shuffles.
  const float* row_A = A + static_cast<size_t>(row < M ? row : 0) * K;
  const float sum = group_sum<LANES>(partial_dot<LANES, VECTOR>(row_A, x, 0, row < M ? K : 0));
  if (row < M && threadIdx.x % LANES == 0) y[row] = sum;
}

// True in every thread of the row's last block. Thread 0 has written what the others must see.
__device__ bool all_others_are_done(int row) {
  __shared__ bool is_last;
  if (threadIdx.x == 0) {
    __threadfence();  // my piece's sum is there before I count
    is_last = atomicInc(&pieces_done[row], gridDim.x - 1) == gridDim.x - 1;
  }
  __syncthreads();
  __threadfence();  // and what I read from here on is what the others wrote before they counted
  return is_last;
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
  const float sum = block_sum(partial_dot<THREADS, VECTOR>(row_A, x, begin, end));
  if (pieces == 1) {
    if (threadIdx.x == 0) y[row] = sum;
    return;
  }

  float* row_sums = piece_sums + row * pieces;
  if (threadIdx.x == 0) row_sums[piece] = sum;
  if (!all_others_are_done(row)) return;  // the whole block
  if (threadIdx.x >= 32) return;          // the whole warp
  float total = 0.0f;
  for (int i = threadIdx.x; i < pieces; i += 32) total += row_sums[i];
  total = group_sum<32>(total);
  if (threadIdx.x == 0) y[row] = total;
}

template <bool VECTOR>
void launch_pieces(const float* A, const float* x, float* y, int M, int K) {
  const int wanted = BUSY_BLOCKS / M;  // 0 if there are more rows
  const int most = kata::ceil_div(K, PIECE);
  const int aimed = wanted < 1 ? 1 : wanted < most ? wanted : most;
  const int length = ((K - 1) / aimed + 4) / 4 * 4;  // a piece starts at a multiple of 4
  const int pieces = kata::ceil_div(K, length);
  piece_kernel<VECTOR><<<dim3(pieces, M), THREADS>>>(A, x, y, K, length);
}

template <int LANES, bool VECTOR>
void launch_lanes(const float* A, const float* x, float* y, int M, int K) {
  const int grid = (M - 1) / (THREADS / LANES) + 1;
  sgemv_kernel<LANES, VECTOR><<<grid, THREADS>>>(A, x, y, M, K);
}

template <bool VECTOR>
void launch(const float* A, const float* x, float* y, int M, int K) {
  if (K <= 16) {
    launch_lanes<4, VECTOR>(A, x, y, M, K);
  } else if (K <= 32) {
    launch_lanes<8, VECTOR>(A, x, y, M, K);
  } else if (K <= 64) {
    launch_lanes<16, VECTOR>(A, x, y, M, K);
  } else if (M >= MANY_ROWS || K < PIECE) {
    launch_lanes<32, VECTOR>(A, x, y, M, K);
  } else {
    launch_pieces<VECTOR>(A, x, y, M, K);
  }
}

bool aligned(const void* pointer) {
  return reinterpret_cast<uintptr_t>(pointer) % 16 == 0;
}

extern "C" void sgemv(const float* A, const float* x, float* y, int M, int K) {
  if (K % 4 == 0 && aligned(A) && aligned(x)) {
    launch<true>(A, x, y, M, K);
  } else {
    launch<false>(A, x, y, M, K);
  }
}
