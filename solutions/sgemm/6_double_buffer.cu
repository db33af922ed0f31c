// Two buffers: the next tiles are on their way from memory while the arithmetic uses these.
//
// A thread asks for its float4 of the next tiles, works through the present ones, and only then
// needs what it asked for, to put it into the other buffer. One barrier a step in place of two:
// nobody reads the buffer that is written.
//
// Prediction: before, a block waited some 700 ns for memory (less for L2) at every step of BK = 8,
// and 8 k of a warp's 64 FMA are 8 x 16 clocks x 8 warps = 1024 clocks, 0.5 us: only the SM's other
// block worked meanwhile. Now the wait lies under the arithmetic. Instructions and bytes are the
// same.
// Measured: 441.1 us at 2048x2048x2048, 59 % of the limit (H200, 2026-11-22)
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
  __shared__ __align__(16) float As[2][BK][BM + PAD];  // [k][row], twice
  __shared__ __align__(16) float Bs[2][BK][BN];        // [k][col], twice
  const int tid = threadIdx.x;
  const int row0 = blockIdx.y * BM;  // of the block's tile of C
  const int col0 = blockIdx.x * BN;
  const int row = tid / COLS * 4;  // the thread's: row + {0..3} and + BM / 2
  const int col = tid % COLS * 4;
  const int row_A = tid / (BK / 4), k_A = tid % (BK / 4) * 4;  // what it loads
  const int k_B = tid / (BN / 4), col_B = tid % (BN / 4) * 4;

  float sum[TM][TN] = {};
  float4 a4 = load<VECTOR>(A, row0 + row_A, k_A, M, K);
  float4 b4 = load<VECTOR>(B, k_B, col0 + col_B, K, N);
  for (int k0 = 0, now = 0; k0 < K; k0 += BK, now = 1 - now) {
    As[now][k_A + 0][row_A] = a4.x;
    As[now][k_A + 1][row_A] = a4.y;
    As[now][k_A + 2][row_A] = a4.z;
    As[now][k_A + 3][row_A] = a4.w;
    *reinterpret_cast<float4*>(&Bs[now][k_B][col_B]) = b4;
    // One barrier is enough: who writes this buffer again has passed the next one, and nobody
    // passes that before all have read this buffer.
    __syncthreads();
    a4 = load<VECTOR>(A, row0 + row_A, k0 + BK + k_A, M, K);  // behind the end of K: zeros
    b4 = load<VECTOR>(B, k0 + BK + k_B, col0 + col_B, K, N);
#pragma unroll
    for (int k = 0; k < BK; ++k) {
      float a[TM], b[TN];
      take(a, &As[now][k][row]);
      take(a + 4, &As[now][k][row + BM / 2]);
      take(b, &Bs[now][k][col]);
      take(b + 4, &Bs[now][k][col + BN / 2]);
#pragma unroll
      for (int i = 0; i < TM; ++i) {
#pragma unroll
        for (int j = 0; j < TN; ++j) sum[i][j] += a[i] * b[j];
      }
    }
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
