#pragma once
// Attention of HEADS heads by a warp on CUDA cores, one row at a time, for rungs 1 and 2. Lane l
// holds elements 2 l and 2 l + 1 of every 64: of the row, of the queries and of the outputs.

#include "../common/lane_reduce.h"
#include "latent.h"

constexpr int ROW_PAIRS = ROW / 64, VALUE_PAIRS = LATENT / 64;  // in a lane

template <int HEADS>
struct WarpHeads {
  float2 query[HEADS][ROW_PAIRS], o[HEADS][VALUE_PAIRS] = {};
  float max[HEADS], sum[HEADS] = {};  // sum and o are in units of exp2(max)

  // The queries of `count` heads, one after the other; the others are 0.
  __device__ WarpHeads(const __nv_bfloat16* q, int count, float factor) {
    for (int h = 0; h < HEADS; ++h) {
      const __nv_bfloat162* from = reinterpret_cast<const __nv_bfloat162*>(q + h * ROW);
      max[h] = -CUDART_INF_F;
      for (int i = 0; i < ROW_PAIRS; ++i) {
        const float2 pair = h < count ? __bfloat1622float2(from[threadIdx.x % 32 + 32 * i])
                                      : make_float2(0.0f, 0.0f);
        query[h][i] = make_float2(factor * pair.x, factor * pair.y);
      }
    }
  }

  // One more row: its latent part is read once, as key and as value.
  __device__ void add(const __nv_bfloat16* row) {
    const __nv_bfloat162* from = reinterpret_cast<const __nv_bfloat162*>(row);
    float2 x[ROW_PAIRS];
    float score[HEADS] = {};
#pragma unroll
    for (int i = 0; i < ROW_PAIRS; ++i) {
      x[i] = __bfloat1622float2(from[threadIdx.x % 32 + 32 * i]);
#pragma unroll
      for (int h = 0; h < HEADS; ++h) score[h] += query[h][i].x * x[i].x + query[h][i].y * x[i].y;
    }
    sum_lanes<32>(score, nullptr);
#pragma unroll
    for (int h = 0; h < HEADS; ++h) {
      if (score[h] > max[h]) rescale(h, score[h]);  // all lanes or none
      const float weight = exp2f(score[h] - max[h]);
      sum[h] += weight;
#pragma unroll
      for (int i = 0; i < VALUE_PAIRS; ++i) {
        o[h][i].x += weight * x[i].x;
        o[h][i].y += weight * x[i].y;
      }
    }
  }

 private:
  __device__ void rescale(int h, float new_max) {
    const float factor = exp2f(max[h] - new_max);
    max[h] = new_max;
    sum[h] *= factor;
#pragma unroll
    for (int i = 0; i < VALUE_PAIRS; ++i) {
      o[h][i].x *= factor;
      o[h][i].y *= factor;
    }
  }
};
