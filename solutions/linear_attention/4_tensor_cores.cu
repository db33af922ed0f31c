// Tensor cores: the four products of a chunk on mma.sync, with halves as operands and float sums.
//
// Rounded to half: the state, the scores times their powers of the decay, and k times its power.
// decay^(p + 1) scales the sums of q S, in float: as a half it would lose its bits where the decay
// is strong. Scores stay in registers, whose layout is that of the next product's operand. The rung
// to reach in 30 minutes, as formula.
//
// Prediction: bytes decide. K and V twice, Q and O once, the states of 512 bytes a token four
// times: 3.8 GB at 4 x 32 heads x 8192 x 128: 900 us.
// Measured: 1421.2 us at 4x32x8192x128, 18 % of the limit (H200, 2026-11-30)
#include "chunks.h"
#include "mma_products.h"

template <int DIM>
__device__ void load_tile(Tile<DIM, true>& tile, const __half* x, int first, int length) {
  for_each_cell(tile, x, first, length, [](uint4* to, const uint4* from, bool exists) {
    *to = exists ? *from : uint4();
  });
}

template <int DIM>
struct KeysAndValues {
  Chunk<DIM> keys, values;
};

// A warp computes 16 rows of the state at a time.
template <int DIM>
__global__ void __launch_bounds__(THREADS) states_kernel(Arguments at) {
  extern __shared__ __align__(128) unsigned char bytes[];
  KeysAndValues<DIM>& shared = *reinterpret_cast<KeysAndValues<DIM>*>(bytes);
  const size_t head = static_cast<size_t>(at.head()) * at.length * DIM;
  load_tile(shared.keys, at.K + head, at.first(), at.length);
  load_tile(shared.values, at.V + head, at.first(), at.length);
  __syncthreads();
  const float log2_decay = at.log2_decay();
  for (int row = threadIdx.x / 32 * 16; row < DIM; row += 64) {
    float sum[DIM / 8][4] = {};
#pragma unroll
    for (int k = 0; k < CHUNK / 16; ++k) {
      unsigned a[4];
      load_columns(a, shared.keys, row, k);
#pragma unroll
      for (int r = 0; r < 4; ++r) {
        const int exponent = CHUNK - 1 - (16 * k + r / 2 * 8 + threadIdx.x % 4 * 2);
        a[r] = scaled(a[r], __floats2half2_rn(decay_power(log2_decay, exponent),
                                              decay_power(log2_decay, exponent - 1)));
      }
      add_product<DIM>(sum, a, shared.values, k);
    }
    store_halves<DIM>(at.states + blockIdx.x * size_t{DIM} * DIM, sum, row, DIM);
  }
}

template <int DIM>
struct AllTiles {
  Chunk<DIM> queries, keys, values, state[DIM / 64];
};

// A warp computes 16 rows of the result.
template <int DIM>
__global__ void __launch_bounds__(THREADS) outputs_kernel(Arguments at) {
  extern __shared__ __align__(128) unsigned char bytes[];
  AllTiles<DIM>& shared = *reinterpret_cast<AllTiles<DIM>*>(bytes);
  const size_t head = static_cast<size_t>(at.head()) * at.length * DIM;
  load_tile(shared.queries, at.Q + head, at.first(), at.length);
  load_tile(shared.keys, at.K + head, at.first(), at.length);
  load_tile(shared.values, at.V + head, at.first(), at.length);
  for (int m = 0; m < DIM / 64; ++m) {
    load_tile(shared.state[m], at.states + blockIdx.x * size_t{DIM} * DIM, 64 * m, DIM);
  }
  __syncthreads();
  const int row0 = threadIdx.x / 32 * 16, row = row0 + threadIdx.x % 32 / 4;
  const float log2_decay = at.log2_decay(), scale = rsqrtf(DIM);
  float score[CHUNK / 8][4] = {}, o[DIM / 8][4] = {};
#pragma unroll
  for (int k = 0; k < DIM / 16; ++k) {
    unsigned q[4];
    load_rows(q, shared.queries, row0, k);
    add_scores(score, q, shared.keys, k);
    add_product<DIM>(o, q, shared.state[k / 4], k % 4);
  }
  const float from_state[2] = {scale * decay_power(log2_decay, row + 1),
                               scale * decay_power(log2_decay, row + 9)};
#pragma unroll
  for (int i = 0; i < DIM / 2; ++i) o[i / 4][i % 4] *= from_state[i / 2 % 2];
#pragma unroll
  for (int k = 0; k < CHUNK / 16; ++k) {
    unsigned p[4];
#pragma unroll
    for (int r = 0; r < 4; ++r) {
      const int back = row + r % 2 * 8 - (16 * k + r / 2 * 8 + threadIdx.x % 4 * 2);
      const float* s = &score[2 * k + r / 2][r % 2 * 2];
      // Selected, not multiplied by 0: the power of a negative exponent may be infinity.
      const float x = back >= 0 ? s[0] * scale * decay_power(log2_decay, back) : 0.0f;
      const float y = back >= 1 ? s[1] * scale * decay_power(log2_decay, back - 1) : 0.0f;
      const __half2 pair = __floats2half2_rn(x, y);
      p[r] = *reinterpret_cast<const unsigned*>(&pair);
    }
    add_product<DIM>(o, p, shared.values, k);
  }
  const int tokens = at.tokens();
  store_halves<DIM>(at.O + at.row() * DIM, o, row0, tokens);
}

extern "C" void linear_attention(const __half* Q, const __half* K, const __half* V,
                                 const float* decay, __half* O, int batch, int heads, int length,
                                 int dim) {
  const Arguments x{Q, K, V, decay, O, nullptr, heads, length, 0};
  if (dim == 64) {
    run_chunks(states_kernel<64>, sizeof(KeysAndValues<64>), outputs_kernel<64>,
               sizeof(AllTiles<64>), THREADS, x, batch * heads, 64);
  } else {
    run_chunks(states_kernel<128>, sizeof(KeysAndValues<128>), outputs_kernel<128>,
               sizeof(AllTiles<128>), THREADS, x, batch * heads, 128);
  }
}
