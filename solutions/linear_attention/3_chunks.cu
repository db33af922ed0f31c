// Chunks of 64 tokens: within a chunk as attention, between chunks through the state.
//
// A recurrence token by token is serial, and attention over all pairs is quadratic. Chunks are
// both: 64 tokens update the state in one matrix product K^T V, and only a scan over the chunks is
// serial. chunks.h has the three kernels' formulas. A thread computes 4 x 4 scores, and 4 rows of
// the result.
//
// Prediction: 103 GFLOP at 4 x 32 heads x 8192 x 128, 2 ms with two loads from shared memory for
// each multiply-add or so: 7 ms. The states take 0.5 GB, written twice and read twice.
// Measured: 7834.6 us at 4x32x8192x128, 3.2 % of the limit (H200, 2026-11-30)
#include "scalar_rows.h"

template <int DIM>
__global__ void __launch_bounds__(THREADS) states_kernel(Arguments at) {
  constexpr int TM = DIM / 16, TN = DIM / 32;  // rows, and pairs of columns, of a thread
  __shared__ Rows<DIM> k, v;
  load_rows<DIM>(k, at.K, at);
  load_rows<DIM>(v, at.V, at);
  __syncthreads();
  const int row0 = threadIdx.x / 16 * TM, col = threadIdx.x % 16;
  const float log2_decay = at.log2_decay();
  float2 sum[TM][TN] = {};
  for (int t = 0; t < CHUNK; ++t) {
    const float weight = decay_power(log2_decay, CHUNK - 1 - t);
    float2 value[TN];
#pragma unroll
    for (int n = 0; n < TN; ++n) value[n] = __half22float2(v[t][col + 16 * n]);
#pragma unroll
    for (int m = 0; m < TM; ++m) {
      const float key = weight * element(k[t], row0 + m);
#pragma unroll
      for (int n = 0; n < TN; ++n) add(sum[m][n], key, value[n]);
    }
  }
  __half2* const to = reinterpret_cast<__half2*>(at.states + blockIdx.x * size_t{DIM} * DIM);
#pragma unroll
  for (int m = 0; m < TM; ++m) {
#pragma unroll
    for (int n = 0; n < TN; ++n) {
      to[(row0 + m) * DIM / 2 + col + 16 * n] = __float22half2_rn(sum[m][n]);
    }
  }
}

template <int DIM>
struct Shared {
  Rows<DIM> q, k, v;
  float weighted[CHUNK][CHUNK + 1];  // scores times powers of the decay
};

template <int DIM>
__global__ void __launch_bounds__(THREADS) outputs_kernel(Arguments at) {
  constexpr int TN = DIM / 32;
  extern __shared__ __align__(16) unsigned char bytes[];
  Shared<DIM>& shared = *reinterpret_cast<Shared<DIM>*>(bytes);
  load_rows<DIM>(shared.q, at.Q, at);
  load_rows<DIM>(shared.k, at.K, at);
  load_rows<DIM>(shared.v, at.V, at);
  __syncthreads();
  const int row0 = threadIdx.x / 16 * 4, col = threadIdx.x % 16;
  const float log2_decay = at.log2_decay(), scale = rsqrtf(DIM);
  for (int i = 0; i < 16; ++i) {
    const int row = row0 + i / 4, key = col + i % 4 * 16;
    float sum = 0.0f;
    for (int c = 0; c < DIM / 2; ++c) {
      const float2 q = __half22float2(shared.q[row][c]), k = __half22float2(shared.k[key][c]);
      sum += q.x * k.x + q.y * k.y;
    }
    shared.weighted[row][key] = key > row ? 0.0f : sum * scale * decay_power(log2_decay, row - key);
  }
  __syncthreads();
  const __half2* state =
      reinterpret_cast<const __half2*>(at.states + blockIdx.x * size_t{DIM} * DIM);
  for (int row = row0; row < min(row0 + 4, at.tokens()); ++row) {
    float2 o[TN] = {};
    for (int c = 0; c < DIM; ++c) {
      const float q = element(shared.q[row], c);
#pragma unroll
      for (int n = 0; n < TN; ++n) {
        add(o[n], q, __half22float2(state[c * DIM / 2 + col + 16 * n]));
      }
    }
    const float weight = scale * decay_power(log2_decay, row + 1);
#pragma unroll
    for (int n = 0; n < TN; ++n) o[n] = make_float2(weight * o[n].x, weight * o[n].y);
    for (int t = 0; t <= row; ++t) {
      const float p = shared.weighted[row][t];
#pragma unroll
      for (int n = 0; n < TN; ++n) add(o[n], p, __half22float2(shared.v[t][col + 16 * n]));
    }
#pragma unroll
    for (int n = 0; n < TN; ++n) {
      reinterpret_cast<__half2*>(at.O + (at.row() + row) * DIM)[col + 16 * n] =
          __float22half2_rn(o[n]);
    }
  }
}

extern "C" void linear_attention(const __half* Q, const __half* K, const __half* V,
                                 const float* decay, __half* O, int batch, int heads, int length,
                                 int dim) {
  const Arguments x{Q, K, V, decay, O, nullptr, heads, length, 0};
  if (dim == 64) {
    run_chunks(states_kernel<64>, 0, outputs_kernel<64>, sizeof(Shared<64>), THREADS, x,
               batch * heads, 64);
  } else {
    run_chunks(states_kernel<128>, 0, outputs_kernel<128>, sizeof(Shared<128>), THREADS, x,
               batch * heads, 128);
  }
}
