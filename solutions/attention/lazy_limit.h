#pragma once
// Rung 10's kernel, which rung 11 also launches, and what its roles do differently: a rarely
// updated limit is subtracted from the scores.
//
// The limit of a row is 2^8 above the largest weight of its first tile, and rises only if a score
// exceeds it. So no weight is above 1, and the sum of a row is at least 2^-8: floats lose nothing.

#include "two_roles.h"

constexpr float SLACK = 8.0f;  // of a new limit above the largest score, in powers of 2

template <int D>
struct LazyMemory : RoleMemory<D> {
  int rose[WARPS];  // whether a limit of the warp's rows rose with this tile
};

template <int D>
class LazyScoreRows : public ScoreRows<D> {
  using Base = ScoreRows<D>;
  using Base::lane, Base::max_, Base::memory, Base::row, Base::score_, Base::STEP, Base::sum_;
  using Base::TN, Base::tx, Base::TX, Base::warp;

 public:
  __device__ explicit LazyScoreRows(LazyMemory<D>& memory) : Base(memory), rose_(memory.rose) {
#pragma unroll
    for (int i = 0; i < TM; ++i) max_[i] = 0.0f;
  }

  // exp2(score - limit), where only the first `count` keys exist. A sign bit that is 0 in any lane
  // means a score at or above its limit: one AND a score, and one vote.
  __device__ void exponentiate(int count, int n) {
    int signs = -1;
#pragma unroll
    for (int i = 0; i < TM; ++i) {
#pragma unroll
      for (int j = 0; j < TN; ++j) {
        score_[i][j] = tx + TX * j < count ? score_[i][j] - max_[i] : -CUDART_INF_F;
        signs &= __float_as_int(score_[i][j]);
      }
    }
    rises_ = __any_sync(0xffffffffu, n == 0 || signs >= 0);
    if (rises_) raise_limits(n);
#pragma unroll
    for (int i = 0; i < TM; ++i) {
#pragma unroll
      for (int j = 0; j < TN; ++j) {
        score_[i][j] = exp2_approx(score_[i][j]);
        sum_[i] += score_[i][j];
      }
    }
  }

  __device__ void hand_over(int n) {
    Base::store_weights(n);
    if (lane == 0) rose_[warp] = rises_;
    arrive(&memory.weighted[warp]);
  }

 private:
  __device__ void raise_limits(int n) {
    wait(&memory.added[warp], n % 2 ^ 1);  // the factors before have been used
#pragma unroll
    for (int i = 0; i < TM; ++i) {
      float rise = score_[i][0];
#pragma unroll
      for (int j = 1; j < TN; ++j) rise = fmaxf(rise, score_[i][j]);
#pragma unroll
      for (int lanes = STEP; lanes < STEP * TX; lanes *= 2) {
        rise = fmaxf(rise, __shfl_xor_sync(0xffffffffu, rise, lanes));
      }
      rise = n == 0 || rise > 0.0f ? rise + SLACK : 0.0f;
      const float rescale = n == 0 ? 1.0f : exp2_approx(-rise);
      max_[i] += rise;
      sum_[i] *= rescale;
      if (tx == 0) memory.rescale[row(i)] = rescale;
#pragma unroll
      for (int j = 0; j < TN; ++j) score_[i][j] -= rise;
    }
  }

  int* const rose_;
  int rises_ = 0;
};

template <int D>
class LazyValueRows : public ValueRows<D> {
  using Base = ValueRows<D>;
  using Base::memory, Base::warp;

 public:
  __device__ explicit LazyValueRows(LazyMemory<D>& memory) : Base(memory), rose_(memory.rose) {}

  __device__ void take(int n) {
    wait(&memory.weighted[warp], n % 2);
    if (rose_[warp]) Base::rescale_output();
  }

 private:
  const int* const rose_;
};

template <int D>
__global__ void __launch_bounds__(THREADS, 1)
    part_kernel(const float* Q, const float* K, const float* V, QuadParts parts, int tiles_per_part,
                int M, int N, int d, float factor) {
  extern __shared__ __align__(128) float shared[];
  auto& memory = *reinterpret_cast<LazyMemory<D>*>(shared);
  const int row0 = blockIdx.x * RoleMemory<D>::BM;
  const int begin = blockIdx.y * tiles_per_part * BN, end = min(begin + tiles_per_part * BN, N);
  const int role = threadIdx.x / (32 * WARPS);
  memory.start(d);
  if (role < 2) memory.load_queries(Q, row0, M, d, factor);  // while the first keys are copied

  if (role == 0) {
    take_registers<128>();
    LazyScoreRows<D> rows(memory);
    for (int first = begin, n = 0; first < end; first += BN, ++n) {
      memory.wait_for(2 * n);
      rows.multiply_keys(memory.tile(2 * n), d);
      memory.release(2 * n);
      rows.exponentiate(end - first, n);
      rows.hand_over(n);
    }
    rows.store(parts, row0, M);
  } else if (role == 1) {
    take_registers<96>();
    LazyValueRows<D> rows(memory);
    for (int first = begin, n = 0; first < end; first += BN, ++n) {
      memory.wait_for(2 * n + 1);
      rows.take(n);
      rows.add_values(memory.tile(2 * n + 1));
      memory.release(2 * n + 1);
    }
    rows.store(parts, row0, M, d);
  } else {
    give_registers<32>();
    memory.copy_all(K, V, begin, end, d);
  }
}

// Launches the parts of the output; the caller merges them.
template <int D>
QuadParts launch_parts(const float* Q, const float* K, const float* V, int M, int N, int d) {
  constexpr int BYTES = sizeof(LazyMemory<D>);
  cudaFuncSetAttribute(part_kernel<D>, cudaFuncAttributeMaxDynamicSharedMemorySize, BYTES);
  const int query_tiles = kata::ceil_div(M, RoleMemory<D>::BM);
  const int tiles = tiles_of_part(processors(), query_tiles, N);
  const QuadParts parts = make_quad_parts(kata::ceil_div(N, tiles * BN), M, d);
  part_kernel<D><<<dim3(query_tiles, parts.count), THREADS, BYTES>>>(Q, K, V, parts, tiles, M, N, d,
                                                                     1.44269504f / sqrtf(d));
  return parts;
}
