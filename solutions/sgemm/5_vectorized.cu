// float4 everywhere: A is transposed on its way to shared memory, so that both are read by float4.
//
// A thread needs 8 rows of A for one k. In a tile [k][row] they are neighbours: two float4 in place
// of 8 floats. The thread's rows are 4 neighbours and the 4 that lie 64 below, its columns
// likewise. The transposing store puts one float4 of A into four rows of the tile. With rows of 128
// floats lanes 2r and 2r + 1 (k and k + 4 of one row) would hit one bank; 4 floats of padding move
// the second by 16 banks: no conflict.
//
// Prediction: 4 shared loads for 64 multiply-adds in place of 16. A 16-byte load of a warp takes 4
// wavefronts, or 2 where lanes i and i + 1 read one address, as for A: 12 wavefronts for each k
// beside 16 clocks of FMA, and a quarter of the load instructions. Global loads: 2 for a thread and
// tile in place of 8.
// Measured: 464.7 us at 2048x2048x2048, 56 % of the limit (H200, 2026-11-22)
#include <kata/kata.h>

#include <stdint.h>

constexpr int BM = 128, BN = 128, BK = 8;
constexpr int TM = 8, TN = 8;
constexpr int COLS = BN / TN;  // 16 x 16 threads
constexpr int THREADS = BM / TM * COLS;
constexpr int PAD = 4;
static_assert(BM * BK == 4 * THREADS && BK * BN == 4 * THREADS, "a float4 of A and of B a thread");

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

template <bool VECTOR>
__global__ void __launch_bounds__(THREADS, 2)
    sgemm_kernel(const float* A, const float* B, float* C, int M, int N, int K) {
  __shared__ __align__(16) float As[BK][BM + PAD];  // [k][row]
  __shared__ __align__(16) float Bs[BK][BN];        // [k][col]
  const int tid = threadIdx.x;
  const int row0 = blockIdx.y * BM;  // of the block's tile of C
  const int col0 = blockIdx.x * BN;
  const int row = tid / COLS * 4;  // the thread's: row + {0..3} and + BM / 2
  const int col = tid % COLS * 4;
  const int row_A = tid / (BK / 4), k_A = tid % (BK / 4) * 4;  // what it loads
  const int k_B = tid / (BN / 4), col_B = tid % (BN / 4) * 4;

  float sum[TM][TN] = {};
  for (int k0 = 0; k0 < K; k0 += BK) {
    const float4 a4 = load<VECTOR>(A, row0 + row_A, k0 + k_A, M, K);
    const float4 b4 = load<VECTOR>(B, k0 + k_B, col0 + col_B, K, N);
    As[k_A + 0][row_A] = a4.x;
    As[k_A + 1][row_A] = a4.y;
    As[k_A + 2][row_A] = a4.z;
    As[k_A + 3][row_A] = a4.w;
    *reinterpret_cast<float4*>(&Bs[k_B][col_B]) = b4;
    __syncthreads();
#pragma unroll
    for (int k = 0; k < BK; ++k) {
      float a[TM], b[TN];
      take(a, &As[k][row]);
      take(a + 4, &As[k][row + BM / 2]);
      take(b, &Bs[k][col]);
      take(b + 4, &Bs[k][col + BN / 2]);
#pragma unroll
      for (int i = 0; i < TM; ++i) {
#pragma unroll
        for (int j = 0; j < TN; ++j) sum[i][j] += a[i] * b[j];
      }
    }
    __syncthreads();
  }

#pragma unroll
  for (int i = 0; i < TM; ++i) {
    const int row_C = row0 + row + i / 4 * (BM / 2) + i % 4;
    store<VECTOR>(C, &sum[i][0], row_C, col0 + col, M, N);
    store<VECTOR>(C, &sum[i][4], row_C, col0 + col + BN / 2, M, N);
  }
}

bool aligned(const void* pointer) {
  return reinterpret_cast<uintptr_t>(pointer) % 16 == 0;
}

extern "C" void sgemm(const float* A, const float* B, float* C, int M, int N, int K) {
  const dim3 grid((N - 1) / BN + 1, (M - 1) / BM + 1);
  if (K % 4 == 0 && N % 4 == 0 && aligned(A) && aligned(B) && aligned(C)) {
    sgemm_kernel<true><<<grid, THREADS>>>(A, B, C, M, N, K);
  } else {
    sgemm_kernel<false><<<grid, THREADS>>>(A, B, C, M, N, K);
  }
}
