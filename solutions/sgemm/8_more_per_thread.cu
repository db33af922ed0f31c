// 8 x 16 elements a thread and 16 of k at a time: one block has an SM's registers to itself.
//
// 128 sums and 24 operands are about 240 registers in each of 256 threads: a quarter fewer shared
// reads for each product, and half as many barriers.
// Four lanes now load the four float4 that A has in 16 of k; transposed they go to rows k, k + 4,
// k + 8, k + 12 of the tile, which no padding that keeps 16-byte alignment puts into four different
// banks. XOR does: the row index with 8 * (k / 4). It also saves the padding: 2 x (128 + 256) x 16
// floats are 48 KiB exactly, the most that static shared memory may have.
//
// Prediction: 6 loads of 2 wavefronts for 128 multiply-adds, 12 beside 32 clocks of FMA where it
// was 8 beside 16. A tile of 128 x 256 reads 3/4 of what two of 128 x 128 did. Small matrices: 64 x
// 64 tiles with 4 x 4 a thread have twice the warps of before, to hide latency where there are few
// blocks.
// Measured: 367.9 us at 2048x2048x2048, 71 % of the limit (H200, 2026-11-22)
#include <kata/kata.h>

#include <stdint.h>

__device__ float at(const float* row, int col, int cols) {
  return col < cols ? row[col] : 0.0f;
}

// Four neighbours of a row-major matrix, zeros outside it. VECTOR: cols is a multiple of 4.
template <bool VECTOR>
__device__ float4 load(const float* matrix, int row, int col, int rows, int cols) {
  if (row >= rows) return make_float4(0.0f, 0.0f, 0.0f, 0.0f);
  const float* p = matrix + static_cast<size_t>(row) * cols;
  if (VECTOR) {
    return col < cols ? *reinterpret_cast<const float4*>(p + col)
                      : make_float4(0.0f, 0.0f, 0.0f, 0.0f);
  }
  return make_float4(at(p, col, cols), at(p, col + 1, cols), at(p, col + 2, cols),
                     at(p, col + 3, cols));
}

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

// Where row `row` of A stands in row k of the tile. Four neighbours stay together.
__device__ int swizzled(int row, int k) {
  return row ^ (k / 4 * 8);
}

// A block's tile of C is BM x BN, in warps of 8 x 4 threads with TM x TN elements each.
template <int BM, int BN, int BK, int TM, int TN>
struct Tile {
  static constexpr int WM = 8 * TM, WN = 4 * TN;
  static constexpr int WARPS_ACROSS = BN / WN;
  static constexpr int THREADS = BM / WM * WARPS_ACROSS * 32;
};

template <int BM, int BN, int BK, int TM, int TN, bool VECTOR>
__global__ void __launch_bounds__(Tile<BM, BN, BK, TM, TN>::THREADS, TM* TN > 64 ? 1 : 2)
    sgemm_kernel(const float* A, const float* B, float* C, int M, int N, int K) {
  using T = Tile<BM, BN, BK, TM, TN>;
  constexpr int LOADS_A = BM * BK / 4 / T::THREADS;  // float4 of a thread and a tile
  constexpr int LOADS_B = BK * BN / 4 / T::THREADS;
  static_assert(LOADS_A * 4 * T::THREADS == BM * BK && LOADS_B * 4 * T::THREADS == BK * BN, "");
  __shared__ __align__(16) float As[2][BK][BM];  // [k][swizzled(row, k)], twice
  __shared__ __align__(16) float Bs[2][BK][BN];  // [k][col], twice
  const int tid = threadIdx.x;
  const int lane = tid % 32;
  const int warp = tid / 32;
  const int row0 = blockIdx.y * BM;  // of the block's tile of C
  const int col0 = blockIdx.x * BN;
  // The thread's elements: 4 x 4 pieces, 32 rows and 16 columns apart.
  const int row = warp / T::WARPS_ACROSS * T::WM + (lane / 8 * 2 + lane / 2 % 2) * 4;
  const int col = warp % T::WARPS_ACROSS * T::WN + (lane / 4 % 2 * 2 + lane % 2) * 4;

  float4 a4[LOADS_A], b4[LOADS_B];
  const auto load_tiles = [&](int k0) {
#pragma unroll
    for (int i = 0; i < LOADS_A; ++i) {
      const int at_4 = tid + i * T::THREADS;
      a4[i] = load<VECTOR>(A, row0 + at_4 / (BK / 4), k0 + at_4 % (BK / 4) * 4, M, K);
    }
#pragma unroll
    for (int i = 0; i < LOADS_B; ++i) {
      const int at_4 = tid + i * T::THREADS;
      b4[i] = load<VECTOR>(B, k0 + at_4 / (BN / 4), col0 + at_4 % (BN / 4) * 4, K, N);
    }
  };
  const auto store_tiles = [&](int now) {
#pragma unroll
    for (int i = 0; i < LOADS_A; ++i) {
      const int row_A = (tid + i * T::THREADS) / (BK / 4);
      const int k_A = (tid + i * T::THREADS) % (BK / 4) * 4;
      const int place = swizzled(row_A, k_A);
      As[now][k_A + 0][place] = a4[i].x;
      As[now][k_A + 1][place] = a4[i].y;
      As[now][k_A + 2][place] = a4[i].z;
      As[now][k_A + 3][place] = a4[i].w;
    }
#pragma unroll
    for (int i = 0; i < LOADS_B; ++i) {
      const int at_4 = tid + i * T::THREADS;
      *reinterpret_cast<float4*>(&Bs[now][at_4 / (BN / 4)][at_4 % (BN / 4) * 4]) = b4[i];
    }
  };

  float sum[TM][TN] = {};
  load_tiles(0);
  for (int k0 = 0, now = 0; k0 < K; k0 += BK, now = 1 - now) {
    store_tiles(now);
    // One barrier is enough: who writes this buffer again has passed the next one, and nobody
    // passes that before all have read this buffer.
    __syncthreads();
    load_tiles(k0 + BK);  // behind the end of K: zeros
#pragma unroll
    for (int k = 0; k < BK; ++k) {
      float a[TM], b[TN];
#pragma unroll
      for (int i = 0; i < TM; i += 4) take(a + i, &As[now][k][swizzled(row, k) + i * 8]);
#pragma unroll
      for (int j = 0; j < TN; j += 4) take(b + j, &Bs[now][k][col + j * 4]);
#pragma unroll
      for (int i = 0; i < TM; ++i) {
#pragma unroll
        for (int j = 0; j < TN; ++j) sum[i][j] += a[i] * b[j];
      }
    }
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

template <int BM, int BN, int BK, int TM, int TN, bool VECTOR>
void launch(const float* A, const float* B, float* C, int M, int N, int K) {
  const dim3 grid((N - 1) / BN + 1, (M - 1) / BM + 1);
  sgemm_kernel<BM, BN, BK, TM, TN, VECTOR>
      <<<grid, Tile<BM, BN, BK, TM, TN>::THREADS>>>(A, B, C, M, N, K);
}

template <bool VECTOR>
void launch_by_shape(const float* A, const float* B, float* C, int M, int N, int K) {
  // Without float4 the loads take more registers, so the tile is that of the rung before.
  constexpr int BN = VECTOR ? 256 : 128, BK = VECTOR ? 16 : 8, TN = VECTOR ? 16 : 8;
  constexpr long long ENOUGH = 99;  // tiles: three quarters of 132 SMs
  const long long tiles = ((M - 1) / 128 + 1LL) * ((N - 1) / BN + 1);
  if (tiles >= ENOUGH) {
    launch<128, BN, BK, 8, TN, VECTOR>(A, B, C, M, N, K);
  } else {
    launch<64, 64, 16, 4, 4, VECTOR>(A, B, C, M, N, K);
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
