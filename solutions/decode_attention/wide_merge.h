#pragma once
// The merging of rung 9: 16 parts of 16 bytes on their way to each thread.

#include "last_part.h"

constexpr int IN_FLIGHT = 16;

// weights[p] is the factor of part p of row `head`, for one warp. Maxima and sums are read
// together.
template <int DIM>
__device__ void weigh_parts(const RowParts<DIM>& parts, int head, float* weights) {
  const int lane = threadIdx.x % 32;
  float max = -CUDART_INF_F, sum = 0.0f;  // of this lane's parts
  for (int p = lane; p < parts.count; p += 32) {
    weights[p] = __ldcg(&parts[p].max[head]);
    const float part_sum = __ldcg(&parts[p].sum[head]), higher = fmaxf(max, weights[p]);
    sum = __expf(max - higher) * sum + __expf(weights[p] - higher) * part_sum;
    max = higher;
  }
  float top = max;
  for (int lanes = 16; lanes > 0; lanes /= 2) {
    top = fmaxf(top, __shfl_xor_sync(0xffffffffu, top, lanes));
  }
  const float factor = 1.0f / warp_sum_all(__expf(max - top) * sum);
  for (int p = lane; p < parts.count; p += 32) weights[p] = __expf(weights[p] - top) * factor;
}

// As ByElement; a thread has four elements.
struct WideMerge {
  template <int DIM>
  static __device__ void merge(const RowParts<DIM>& parts, const Heads& heads, float* weights,
                               __half* out) {
    for (int head = threadIdx.x / 32; head < heads.count; head += WARPS) {
      weigh_parts(parts, head, weights + head * parts.count);
    }
    __syncthreads();
    constexpr int QUADS = DIM / 4;
    for (int i = threadIdx.x; i < heads.count * QUADS; i += THREADS) {
      const int head = i / QUADS, quad = i % QUADS;
      float4 o = {};
      for (int first = 0; first < parts.count; first += IN_FLIGHT) {
        const int count = parts.count - first;
        float4 part[IN_FLIGHT] = {};
#pragma unroll
        for (int p = 0; p < IN_FLIGHT; ++p) {
          if (p >= count) continue;
          part[p] = __ldcg(reinterpret_cast<const float4*>(parts[first + p].o[head]) + quad);
        }
#pragma unroll
        for (int p = 0; p < IN_FLIGHT; ++p) {
          const float weight = p < count ? weights[head * parts.count + first + p] : 0.0f;
          o.x += weight * part[p].x;
          o.y += weight * part[p].y;
          o.z += weight * part[p].z;
          o.w += weight * part[p].w;
        }
      }
      const __half2 halves[2] = {__floats2half2_rn(o.x, o.y), __floats2half2_rn(o.z, o.w)};
      *reinterpret_cast<uint2*>(out + heads.row * DIM + 4 * i) =
          *reinterpret_cast<const uint2*>(halves);
    }
  }
};
