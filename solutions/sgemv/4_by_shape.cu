// The shape decides who shares a row: 4 lanes if it is narrow, several blocks if there are few.
//
// A row of 16 floats is 4 float4: a warp for it would leave 28 lanes idle, so 4 lanes take it and a
// warp takes 8 rows, 512 neighbouring bytes. And 16 rows of a million floats are 16 warps if each
// has one, on a chip that needs thousands: there a row is cut into pieces, each block sums a piece,
// and a second kernel adds the pieces in a fixed order, so that the result is the same at each run.
//
// Prediction: 16 x 2^20 takes the time of any other 64 MiB, 15.3 us at 4379 GB/s and a second
// launch, in place of the 16 warps' milliseconds (16 x 32 lanes x 64 bytes in flight = 32 KiB each
// 700 ns: 47 GB/s, 1.4 ms). 2^20 x 16: one load for each lane, no loop.
// Measured: 76.6 us at 1024x65536, 92 % of the limit (H200, 2026-11-22)
#include <kata/kata.h>

#include <stdint.h>

constexpr int THREADS = 256;
constexpr int UNROLL = 4;
constexpr int PIECE = 4096;        // a row of that many floats is worth a block: 16 for each thread
constexpr int BUSY_BLOCKS = 1056;  // 8 blocks of 256 threads fill each of 132 SMs
constexpr int MANY_ROWS = 8448;    // with a warp for each they fill 132 SMs of 64 warps
constexpr unsigned ALL_LANES = 0xffffffffu;

// Rows are cut only where M < BUSY_BLOCKS, into at most ceil_div(BUSY_BLOCKS, M) pieces.
__device__ float piece_sums[2 * BUSY_BLOCKS];

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

// Block (piece, row) puts the sum over its piece of the row into sums[row][piece].
template <bool VECTOR>
__global__ void __launch_bounds__(THREADS)
    piece_kernel(const float* A, const float* x, float* sums, int K, int length) {
  const int piece = blockIdx.x;
  const int row = blockIdx.y;
  const int begin = piece * length;
  const int end = K - begin < length ? K : begin + length;
  const float* row_A = A + static_cast<size_t>(row) * K;
  const float sum = block_sum(partial_dot<THREADS, VECTOR>(row_A, x, begin, end));
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
  const int most = kata::ceil_div(K, PIECE);
  const int aimed = wanted < most ? wanted : most;
  const int length = ((K - 1) / aimed + 4) / 4 * 4;  // a piece starts at a multiple of 4
  const int pieces = kata::ceil_div(K, length);
  if (pieces == 1) {
    piece_kernel<VECTOR><<<dim3(1, M), THREADS>>>(A, x, y, K, length);
    return;
  }
  void* sums = nullptr;
  if (cudaGetSymbolAddress(&sums, piece_sums) != cudaSuccess) return;
  piece_kernel<VECTOR><<<dim3(pieces, M), THREADS>>>(A, x, static_cast<float*>(sums), K, length);
  finish_kernel<<<(M - 1) / (THREADS / 32) + 1, THREADS>>>(y, M, pieces);
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
