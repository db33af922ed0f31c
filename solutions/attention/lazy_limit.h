#pragma once
// What the roles of rung 10 do differently: a rarely updated limit is subtracted from the scores.
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
