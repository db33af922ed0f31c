// Two passes: a block owns 16 queries and makes dQ, another one owns 16 keys and makes dK and dV.
//
// Nothing of size length^2 is stored: P comes again from Q, K and lse, in both passes. With
// queries and keys exchanged, dQ and dK are the same sum, dS times the other side's rows; so one
// kernel does both. A lane has one row of the other side's 32. The rung to reach in 30 minutes.
//
// Prediction: seven products, three for dQ and four for dK and dV. At the 14 TFLOP/s of
// flash_attention's rung 2, 240 GFLOP at 4 x 32 heads x 1024 x 128 take 17 ms.
// Measured: 17294.7 us at 4x32x1024x128x0, 1.1 % of the limit (H200, 2026-11-30)
#include "statistics.h"

constexpr int OWN = 16, OTHER = 32, WARPS = 8, THREADS = 32 * WARPS, ROWS = OWN / WARPS;

// Q and dO, or K and V.
struct Side {
  const __half *a, *b;
};

// `rows` rows of x[length, DIM] from `first` on; zeros past the end.
template <int DIM>
__device__ void load_rows(__half2 (*tile)[DIM / 2 + 1], const __half* x, int first, int rows,
                          int length) {
  for (int i = threadIdx.x; i < rows * (DIM / 2); i += THREADS) {
    const int row = i / (DIM / 2), col = i % (DIM / 2);
    const size_t at = (static_cast<size_t>(first) + row) * (DIM / 2) + col;
    tile[row][col] = first + row < length ? reinterpret_cast<const __half2*>(x)[at]
                                          : __floats2half2_rn(0.0f, 0.0f);
  }
}

__device__ inline void add_product(float2& sum, float factor, __half2 x) {
  const float2 value = __half22float2(x);
  sum.x += factor * value.x;
  sum.y += factor * value.y;
}

// dA: dQ or dK. dB: dV, for keys only.
template <int DIM, bool OWNS_KEYS>
__global__ void __launch_bounds__(THREADS, 3)
    gradient_kernel(Side own, Side other, const Statistics* statistics, __half* dA, __half* dB,
                    int length, int query_pitch, int causal, float scale) {
  __shared__ __half2 own_a[OWN][DIM / 2 + 1], own_b[OWN][DIM / 2 + 1];
  __shared__ __half2 a[OTHER][DIM / 2 + 1], b[OTHER][DIM / 2 + 1];
  __shared__ float2 weights[OWN][OTHER];  // dS and P
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  const int blocks = kata::ceil_div(length, OWN), head = blockIdx.x / blocks;
  const int row0 = blockIdx.x % blocks * OWN;
  const size_t at = static_cast<size_t>(head) * length * DIM;
  const Statistics* of_head = statistics + static_cast<size_t>(head) * query_pitch;
  load_rows<DIM>(own_a, own.a + at, row0, OWN, length);
  load_rows<DIM>(own_b, own.b + at, row0, OWN, length);
  float2 da[ROWS][DIM / 64] = {}, db[ROWS][DIM / 64] = {};  // columns 2 lane, 2 lane + 64, ...
  const int begin = causal && OWNS_KEYS ? row0 / OTHER * OTHER : 0;
  const int end = causal && !OWNS_KEYS ? min(row0 + OWN, length) : length;
  for (int first = begin; first < end; first += OTHER) {
    __syncthreads();
    load_rows<DIM>(a, other.a + at, first, OTHER, length);
    load_rows<DIM>(b, other.b + at, first, OTHER, length);
    __syncthreads();
    for (int r = 0; r < ROWS; ++r) {
      const int mine = warp * ROWS + r;
      float2 s = make_float2(0.0f, 0.0f), dp = s;
#pragma unroll 8
      for (int c = 0; c < DIM / 2; ++c) {
        const float2 x = __half22float2(own_a[mine][c]), y = __half22float2(a[lane][c]);
        s.x += x.x * y.x;
        s.y += x.y * y.y;
        const float2 z = __half22float2(own_b[mine][c]), w = __half22float2(b[lane][c]);
        dp.x += z.x * w.x;
        dp.y += z.y * w.y;
      }
      const int query = OWNS_KEYS ? first + lane : row0 + mine;
      const int key = OWNS_KEYS ? row0 + mine : first + lane;
      const bool visible = key < length && (!causal || key <= query);
      const Statistics row = of_head[query];
      const float p = visible ? exp2f(scale * CUDART_L2E_F * (s.x + s.y) - row.lse) : 0.0f;
      weights[mine][lane] = make_float2(p * (dp.x + dp.y - row.D), p);
    }
    __syncwarp();
#pragma unroll 4
    for (int i = 0; i < OTHER; ++i) {
      for (int r = 0; r < ROWS; ++r) {
        const float2 weight = weights[warp * ROWS + r][i];
        for (int c = 0; c < DIM / 64; ++c) {
          add_product(da[r][c], weight.x, a[i][lane + 32 * c]);
          if (OWNS_KEYS) add_product(db[r][c], weight.y, b[i][lane + 32 * c]);
        }
      }
    }
  }
  for (int r = 0; r < ROWS; ++r) {
    const int row = row0 + warp * ROWS + r;
    for (int c = 0; c < DIM / 64 && row < length; ++c) {
      const size_t to = (at + static_cast<size_t>(row) * DIM) / 2 + lane + 32 * c;
      reinterpret_cast<__half2*>(dA)[to] =
          __floats2half2_rn(scale * da[r][c].x, scale * da[r][c].y);
      if (OWNS_KEYS) reinterpret_cast<__half2*>(dB)[to] = __float22half2_rn(db[r][c]);
    }
  }
}

template <int DIM>
void launch(Side queries, Side keys, const Statistics* statistics, __half* dQ, __half* dK,
            __half* dV, int heads, int length, int causal) {
  const int grid = heads * kata::ceil_div(length, OWN), pitch = padded(length);
  const float scale = 1.0f / sqrtf(DIM);
  gradient_kernel<DIM, false>
      <<<grid, THREADS>>>(queries, keys, statistics, dQ, nullptr, length, pitch, causal, scale);
  gradient_kernel<DIM, true>
      <<<grid, THREADS>>>(keys, queries, statistics, dK, dV, length, pitch, causal, scale);
}

extern "C" void flash_attention_backward(const __half* Q, const __half* K, const __half* V,
                                         const __half* O, const __half* dO, const float* lse,
                                         __half* dQ, __half* dK, __half* dV, int batch, int heads,
                                         int length, int dim, int causal) {
  const Statistics* statistics = statistics_of(O, dO, lse, batch * heads, length, dim);
  const auto run = dim == 64 ? launch<64> : launch<128>;
  run({Q, dO}, {K, V}, statistics, dQ, dK, dV, batch * heads, length, causal);
}
