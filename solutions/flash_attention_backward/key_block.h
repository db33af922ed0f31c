#pragma once
// A block of 128 keys on wgmma, for rung 5: two warpgroups own 64 keys each, a producer warp brings
// tiles of queries and their dO.
//
// Scores are transposed, K Q^T, so that P^T and dS^T stay in registers as the A operands of dV and
// dK. For dQ = dS K, dS^T goes through shared memory, where wgmma transposes it; each warpgroup
// makes a box of 64 x 64 of the tile's dQ for all 128 keys. A tile has 8192 / DIM queries: two such
// boxes. Tiles and the layout of a thread's values: ../flash_attention/warpgroup_rows.h.

#include "../linear_attention/warpgroups.h"
#include "query_boxes.h"

constexpr int KEYS = 128, CONSUMERS = 2;

template <int DIM>
struct KeyBlock {
  static constexpr int QUERIES = 8192 / DIM, STAGES = 2;
  struct Input {
    Tile<DIM, QUERIES> q, d_o;
  };
  Tile<DIM, 64> keys[CONSUMERS], values[CONSUMERS];
  Input inputs[STAGES];
  Tile<QUERIES, KEYS> ds[2];  // transposed; tiles take turns
  float dq[CONSUMERS][BOX];   // on its way out
  Statistics statistics[STAGES][QUERIES];
  Barrier keys_full, full[STAGES], empty[STAGES];
};

struct Inputs {
  CUtensorMap Q, K, V, dO;
};

// D (+)= A^T B: M along the rows of A, N along those of B.
__device__ __forceinline__ void multiply_transposed(float (&d)[32], uint64_t a, uint64_t b,
                                                    bool add) {
  asm volatile(
      "{.reg .pred p; setp.ne.b32 p, %34, 0;"
      "wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 "
      "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "
      "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31}, "
      "%32, %33, p, 1, 1, 1, 1;}"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]), "+f"(d[6]),
        "+f"(d[7]), "+f"(d[8]), "+f"(d[9]), "+f"(d[10]), "+f"(d[11]), "+f"(d[12]), "+f"(d[13]),
        "+f"(d[14]), "+f"(d[15]), "+f"(d[16]), "+f"(d[17]), "+f"(d[18]), "+f"(d[19]), "+f"(d[20]),
        "+f"(d[21]), "+f"(d[22]), "+f"(d[23]), "+f"(d[24]), "+f"(d[25]), "+f"(d[26]), "+f"(d[27]),
        "+f"(d[28]), "+f"(d[29]), "+f"(d[30]), "+f"(d[31])
      : "l"(a), "l"(b), "r"(static_cast<int>(add)));
}

__device__ inline void consumers_barrier() {
  asm volatile("bar.sync 1, %0;" ::"n"(CONSUMERS * WARPGROUP) : "memory");
}

// A warp of a consumer has read the stage.
__device__ inline void release(Barrier* empty) {
  __syncwarp();
  if (threadIdx.x % 32 == 0) arrive(empty);
}

// One thread of the producer: `tiles` tiles of queries, from `first` on.
template <int DIM>
__device__ void produce(KeyBlock<DIM>& shared, const Inputs& inputs, const Statistics* statistics,
                        int head, int key0, int first, int tiles) {
  constexpr int QUERIES = KeyBlock<DIM>::QUERIES;
  for (int w = 0; w < CONSUMERS; ++w) {
    load_tile(shared.keys[w], inputs.K, key0 + 64 * w, head, &shared.keys_full);
    load_tile(shared.values[w], inputs.V, key0 + 64 * w, head, &shared.keys_full);
  }
  for (int tile = 0; tile < tiles; ++tile) {
    const int stage = tile % 2, query0 = first + tile * QUERIES;
    wait(&shared.empty[stage], tile / 2 % 2 ^ 1);
    load_tile(shared.inputs[stage].q, inputs.Q, query0, head, &shared.full[stage]);
    load_tile(shared.inputs[stage].d_o, inputs.dO, query0, head, &shared.full[stage]);
    arrive_expecting(&shared.full[stage], sizeof(shared.statistics[stage]));
    load_bytes(shared.statistics[stage], statistics + query0, sizeof(shared.statistics[stage]),
               &shared.full[stage]);
  }
}

// 64 keys of a warpgroup.
template <int DIM>
class Gradients {
  using Shared = KeyBlock<DIM>;
  static constexpr int QUERIES = Shared::QUERIES;

 public:
  __device__ explicit Gradients(int warpgroup) : warpgroup_(warpgroup) {}

  // Two groups of wgmmas: K Q^T and V dO^T.
  __device__ __forceinline__ void start_products(const Shared& shared, int stage) {
    const typename Shared::Input& input = shared.inputs[stage];
    wgmma_fence();
    multiply_columns(p_, shared.keys[warpgroup_], input.q);
    wgmma_commit();
    multiply_columns(ds_, shared.values[warpgroup_], input.d_o);
    wgmma_commit();
  }

  // P^T, when K Q^T has come. `visible(row, column)` says whether a query sees a key.
  template <class Visible>
  __device__ __forceinline__ void exponentiate(const Statistics (&statistics)[QUERIES],
                                               bool all_visible, const Visible& visible) {
    const float factor = rsqrtf(DIM) * CUDART_L2E_F;
#pragma unroll
    for (int i = 0; i < QUERIES / 2; ++i) {
      const float p = exp2_approx(fmaf(factor, p_[i], -statistics[column(i)].lse));
      p_[i] = all_visible || visible(row(i), column(i)) ? p : 0.0f;
    }
    pack(packed_p_, p_);
  }

  // One group: dV += P^T dO. It runs beside what makes dS^T.
  __device__ __forceinline__ void start_values(const Shared& shared, int stage) {
    const uint64_t d_o = shared.inputs[stage].d_o.descriptor();
#pragma unroll
    for (int k = 0; k < QUERIES / 16; ++k) settle(packed_p_[k]);
    wgmma_fence();
#pragma unroll
    for (int k = 0; k < QUERIES / 16; ++k) {  // 16 rows of 128 bytes are 128 cells
      multiply_add(dv_, packed_p_[k], d_o + k * 128);
    }
    wgmma_commit();
  }

  // dS^T, when V dO^T has come. Also to shared memory.
  __device__ __forceinline__ void differentiate(const Statistics (&statistics)[QUERIES],
                                                Tile<QUERIES, KEYS>& tile) {
#pragma unroll
    for (int i = 0; i < QUERIES / 2; ++i) {
      ds_[i] = p_[i] * (ds_[i] - statistics[column(i)].D);
    }
    pack(packed_ds_, ds_);
    const int lane = threadIdx.x % 32;
    const int key = 64 * warpgroup_ + threadIdx.x / 32 % 4 * 16 + lane % 16;
#pragma unroll
    for (int k = 0; k < QUERIES / 16; ++k) {
      const int cell = (2 * k % 8 + lane / 16) ^ key % 8;
      store_matrices(&tile.panels[k / 4][key][8 * cell], packed_ds_[k][0], packed_ds_[k][1],
                     packed_ds_[k][2], packed_ds_[k][3]);
    }
  }

  // dK += dS^T Q, and a box of dQ = dS K. Waits for all products.
  __device__ __forceinline__ void add_products(const Shared& shared, int stage,
                                               const Tile<QUERIES, KEYS>& tile, float (&dq)[32]) {
    const uint64_t q = shared.inputs[stage].q.descriptor();
#pragma unroll
    for (int k = 0; k < QUERIES / 16; ++k) settle(packed_ds_[k]);
    wgmma_fence();
#pragma unroll
    for (int k = 0; k < QUERIES / 16; ++k) multiply_add(dk_, packed_ds_[k], q + k * 128);
    const int queries = DIM == 64 ? warpgroup_ : 0, columns = DIM == 64 ? 0 : warpgroup_;
    const uint64_t ds = tile_descriptor(tile.panels[queries], 0);
#pragma unroll
    for (int k = 0; k < KEYS / 16; ++k) {
      const uint64_t keys = tile_descriptor(shared.keys[k / 4].panels[columns], 0);
      multiply_transposed(dq, ds + k * 128, keys + k % 4 * 128, k > 0);
    }
    wgmma_commit();
    wgmma_wait<0>();
  }

  // Rounded, to tiles that no thread reads any more.
  __device__ __forceinline__ void store(Tile<DIM, 64>& dk, Tile<DIM, 64>& dv) {
#pragma unroll
    for (int i = 0; i < DIM / 2; ++i) dk_[i] *= rsqrtf(DIM);
    store_rounded(dk, 0, dk_);
    store_rounded(dv, 0, dv_);
  }

 private:
  // Of value i: key and query, in the warpgroup's keys and in the tile.
  __device__ static int row(int i) {
    return threadIdx.x / 32 % 4 * 16 + threadIdx.x % 32 / 4 + 8 * (i / 2 % 2);
  }
  __device__ static int column(int i) {
    return 8 * (i / 4) + 2 * (threadIdx.x % 4) + i % 2;
  }

  // d = A B^T over the columns of both.
  __device__ __forceinline__ static void multiply_columns(float (&d)[QUERIES / 2],
                                                          const Tile<DIM, 64>& a,
                                                          const Tile<DIM, QUERIES>& b) {
#pragma unroll
    for (int k = 0; k < DIM / 16; ++k) {  // 16 columns are 2 cells of 16 bytes
      multiply(d, a.descriptor() + k / 4 * (a.PANEL_BYTES / 16) + k % 4 * 2,
               b.descriptor() + k / 4 * (b.PANEL_BYTES / 16) + k % 4 * 2, k > 0);
    }
  }
  __device__ __forceinline__ static void pack(uint32_t (&halves)[QUERIES / 16][4],
                                              const float (&x)[QUERIES / 2]) {
#pragma unroll
    for (int i = 0; i < QUERIES / 4; ++i) {
      halves[i / 4][i % 4] = as_word(__floats2half2_rn(x[2 * i], x[2 * i + 1]));
    }
  }

  const int warpgroup_;
  float p_[QUERIES / 2], ds_[QUERIES / 2];  // first scores and dP
  uint32_t packed_p_[QUERIES / 16][4], packed_ds_[QUERIES / 16][4];
  float dk_[DIM / 2] = {}, dv_[DIM / 2] = {};
};
