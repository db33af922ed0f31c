// The order of the products: to and fro, so that an operand is at hand when it is used again.
//
// An FMA reads three registers, and the register file has two banks: where its operands meet in one
// bank it waits a clock. An operand that the FMA before also had comes from a small cache in place
// of its bank. So one operand stays while the other goes through the shorter side, to and fro:
// where it turns, both stay. ptxas keeps the order it is given.
//
// Prediction: a trial of the rung before gave 49.6 TFLOP/s at 4096 cubed, 3 % below its 51. If bank
// conflicts are what was missing, this is up to 3 % faster, and more cannot be had but by fewer
// instructions.
// Measured: 340.2 us at 2048x2048x2048, 77 % of the limit (H200, 2026-11-22)
#include <cuda_pipeline.h>
#include <kata/kata.h>

#include <stdint.h>

template <bool VECTOR>
__device__ void store(float* matrix, const float* four, int row, int col, int rows, int cols) {
  if (row >= rows) return;
  float* p = matrix + static_cast<size_t>(row) * cols;
  if (VECTOR) {
    if (col < cols) {
      *reinterpret_cast<float4*>(p + col) = make_float4(four[0], four[1], four[2], four[3]);
    }
  } else {
#pragma unroll
    for (int j = 0; j < 4; ++j) {
      if (col + j < cols) p[col + j] = four[j];
    }
  }
}

// Four neighbours of shared memory; `p` is a multiple of 16 bytes.
__device__ void take(float* four, const float* p) {
  const float4 v = *reinterpret_cast<const float4*>(p);
  four[0] = v.x;
  four[1] = v.y;
  four[2] = v.z;
  four[3] = v.w;
}

// sum += a b^T. One operand stays while the other goes to and fro, the shorter one: where it turns,
// both stay.
template <int TM, int TN>
__device__ void multiply_add(float (&sum)[TM][TN], const float (&a)[TM], const float (&b)[TN]) {
  constexpr int SHORT = TM < TN ? TM : TN, LONG = TM < TN ? TN : TM;
#pragma unroll
  for (int slow = 0; slow < LONG; ++slow) {
#pragma unroll
    for (int step = 0; step < SHORT; ++step) {
      const int quick = slow % 2 == 0 ? step : SHORT - 1 - step;
      const int i = TM < TN ? quick : slow;
      const int j = TM < TN ? slow : quick;
      sum[i][j] += a[i] * b[j];
    }
  }
}

// A block's tile of C is BM x BN, in warps of 8 x 4 threads with TM x TN elements each. Tiles of A
// and B are BK deep, and STAGES of them are in shared memory.
template <int BM, int BN, int TM, int TN>
struct Tile {
  static constexpr int BK = 16, STAGES = BN > 128 ? 3 : 4;
  static constexpr int WM = 8 * TM, WN = 4 * TN;
  static constexpr int WARPS_ACROSS = BN / WN;
  static constexpr int THREADS = BM / WM * WARPS_ACROSS * 32;
  static constexpr int PAD = 4;
  static constexpr int FLOATS_A = BK * (BM + PAD), FLOATS_B = BK * BN;  // of one stage
  static constexpr int SHARED_BYTES = STAGES * (FLOATS_A + FLOATS_B) * 4;
  static constexpr int BLOCKS_PER_SM = TM * TN > 64 ? 1 : THREADS > 128 ? 2 : 3;
};

// Begins a copy, or writes zeros. Nobody may read what is being copied before it was waited for.
template <int FLOATS>
__device__ void copy(float* to, const float* from, bool there) {
  if (there) {
    __pipeline_memcpy_async(to, from, FLOATS * sizeof(float));
  } else {
#pragma unroll
    for (int i = 0; i < FLOATS; ++i) to[i] = 0.0f;
  }
}

template <int BM, int BN, int TM, int TN, bool VECTOR>
__global__ void __launch_bounds__(Tile<BM, BN, TM, TN>::THREADS,
                                  Tile<BM, BN, TM, TN>::BLOCKS_PER_SM)
    sgemm_kernel(const float* A, const float* B, float* C, int M, int N, int K) {
  using T = Tile<BM, BN, TM, TN>;
  constexpr int BK = T::BK, STAGES = T::STAGES;
  extern __shared__ __align__(16) float shared[];
  float* const As = shared;                         // [STAGES][BK][BM + PAD], transposed
  float* const Bs = shared + STAGES * T::FLOATS_A;  // [STAGES][BK][BN]
  const int tid = threadIdx.x;
  const int lane = tid % 32;
  const int warp = tid / 32;
  const int row0 = blockIdx.y * BM;  // of the block's tile of C
  const int col0 = blockIdx.x * BN;
  // The thread's elements: 4 x 4 pieces, 32 rows and 16 columns apart.
  const int row = warp / T::WARPS_ACROSS * T::WM + (lane / 8 * 2 + lane / 2 % 2) * 4;
  const int col = warp % T::WARPS_ACROSS * T::WN + (lane / 4 % 2 * 2 + lane % 2) * 4;

  // K need not be a multiple of BK: what is missing is missing at the beginning of the first tile.
  const int tiles = (K - 1) / BK + 1;
  const int first_k = K - tiles * BK;  // 0 or below

  // What the thread copies of each tile. A warp takes 8 of k in 4 rows of A: whole sectors, and in
  // the transposed tile 32 different banks. Rows and columns behind the end of the matrix are the
  // last one again: what comes of them is never stored.
  constexpr int ROWS_A = T::THREADS / 8;  // at once
  constexpr int COPIES_A = BM / ROWS_A;
  constexpr int WIDTH_B = VECTOR ? 4 : 1;
  constexpr int ROWS_B = T::THREADS / (BN / WIDTH_B);
  constexpr int COPIES_B = BK / ROWS_B;
  const int row_A = tid / 8;
  const int k_A = tid % 8;
  const int k_B = tid / (BN / WIDTH_B);
  const int col_B = tid % (BN / WIDTH_B) * WIDTH_B;
  const int rows_left = M - 1 - row0 - row_A;
  const float* from_A = A + static_cast<int64_t>(row0 + row_A) * K + first_k + k_A;
  const float* from_B =
      B + static_cast<int64_t>(first_k + k_B) * N + min(col0 + col_B, N - WIDTH_B);

  // Begins to copy part `part` of `parts` of the next tile; the very first may lack its first k.
  const auto copy_tile = [&](int stage, bool first, int part, int parts) {
    float* const to_A = As + stage * T::FLOATS_A + k_A * (BM + T::PAD) + row_A;
    float* const to_B = Bs + stage * T::FLOATS_B + k_B * BN + col_B;
#pragma unroll
    for (int i = 2 * COPIES_A * part / parts; i < 2 * COPIES_A * (part + 1) / parts; ++i) {
      const int k = i / COPIES_A * 8;
      copy<1>(to_A + k * (BM + T::PAD) + i % COPIES_A * ROWS_A,
              from_A + static_cast<int64_t>(min(i % COPIES_A * ROWS_A, rows_left)) * K + k,
              !first || first_k + k + k_A >= 0);
    }
#pragma unroll
    for (int i = COPIES_B * part / parts; i < COPIES_B * (part + 1) / parts; ++i) {
      copy<WIDTH_B>(to_B + i * ROWS_B * BN, from_B + static_cast<size_t>(i * ROWS_B) * N,
                    !first || first_k + i * ROWS_B + k_B >= 0);
    }
  };
  const auto next_tile = [&] {
    from_A += BK;
    from_B += static_cast<size_t>(BK) * N;
    __pipeline_commit();
  };

  float a[2][TM], b[2][TN];  // of this k and of the next
  const auto take_operands = [&](int which, int stage, int k) {
#pragma unroll
    for (int i = 0; i < TM; i += 4) {
      take(a[which] + i, As + stage * T::FLOATS_A + k * (BM + T::PAD) + row + i * 8);
    }
#pragma unroll
    for (int j = 0; j < TN; j += 4) {
      take(b[which] + j, Bs + stage * T::FLOATS_B + k * BN + col + j * 4);
    }
  };

#pragma unroll
  for (int t = 0; t < STAGES - 1; ++t) {
    if (t < tiles) copy_tile(t, t == 0, 0, 1);
    next_tile();
  }
  __pipeline_wait_prior(STAGES - 2);
  __syncthreads();
  take_operands(0, 0, 0);

  float sum[TM][TN] = {};
  int now = 0, last = STAGES - 1;
#pragma unroll 1
  for (int t = 0; t < tiles; ++t) {
    const int next = t + 1 == tiles ? now : now + 1 < STAGES ? now + 1 : 0;
#pragma unroll
    for (int k = 0; k < BK; ++k) {
      // Copies are spread over the tile, lest they stand in front of the operands.
      if (k + 1 < BK) take_operands((k + 1) % 2, now, k + 1);
      if (t + STAGES - 1 < tiles) copy_tile(last, false, k, BK);
      if (k + 1 == BK) {
        next_tile();
        // The next tile has come, and nobody reads this one any more.
        __pipeline_wait_prior(STAGES - 2);
        __syncthreads();
        take_operands((k + 1) % 2, next, 0);
      }
      multiply_add(sum, a[k % 2], b[k % 2]);
    }
    now = next;
    last = last + 1 < STAGES ? last + 1 : 0;
  }

#pragma unroll
  for (int i = 0; i < TM; ++i) {
    const int row_C = row0 + row + i / 4 * 32 + i % 4;
#pragma unroll
    for (int j = 0; j < TN; j += 4) {
      store<VECTOR>(C, &sum[i][j], row_C, col0 + col + j * 4, M, N);
    }
  }
}

template <int BM, int BN, int TM, int TN, bool VECTOR>
void launch(const float* A, const float* B, float* C, int M, int N, int K) {
  using T = Tile<BM, BN, TM, TN>;
  cudaFuncSetAttribute(sgemm_kernel<BM, BN, TM, TN, VECTOR>,
                       cudaFuncAttributeMaxDynamicSharedMemorySize, T::SHARED_BYTES);
  const dim3 grid((N - 1) / BN + 1, (M - 1) / BM + 1);
  sgemm_kernel<BM, BN, TM, TN, VECTOR><<<grid, T::THREADS, T::SHARED_BYTES>>>(A, B, C, M, N, K);
}

long long tiles_of(int M, int N, int BM, int BN) {
  return ((M - 1) / BM + 1LL) * ((N - 1) / BN + 1);
}

template <bool VECTOR>
void launch_by_shape(const float* A, const float* B, float* C, int M, int N, int K) {
  constexpr long long ENOUGH = 99;  // tiles: three quarters of 132 SMs
  if constexpr (VECTOR) {
    if (tiles_of(M, N, 128, 256) >= ENOUGH) return launch<128, 256, 8, 16, true>(A, B, C, M, N, K);
  }
  if (tiles_of(M, N, 128, 128) >= 2 * ENOUGH) {
    launch<128, 128, 8, 8, VECTOR>(A, B, C, M, N, K);
  } else if (tiles_of(M, N, 64, 128) >= ENOUGH) {
    launch<64, 128, 8, 8, VECTOR>(A, B, C, M, N, K);
  } else {
    launch<32, 64, 4, 4, VECTOR>(A, B, C, M, N, K);
  }
}

bool aligned(const void* pointer) {
  return reinterpret_cast<uintptr_t>(pointer) % 16 == 0;
}

extern "C" void sgemm(const float* A, const float* B, float* C, int M, int N, int K) {
  if (K % 4 == 0 && N % 4 == 0 && aligned(A) && aligned(B) && aligned(C)) {
    launch_by_shape<true>(A, B, C, M, N, K);
  } else {
    launch_by_shape<false>(A, B, C, M, N, K);
  }
}
