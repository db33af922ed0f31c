#pragma once
// The rows of a sequence in several parts, each by a block of its own, and the kernel that merges
// them: rungs 4 and later.

#include "../common/scratch.h"
#include "latent.h"

struct Parts {
  float* o;      // [batch * heads][count][LATENT], in units of exp2(max)
  float2* tops;  // [batch * heads][count]: max and sum; -infinity and 0 for a part without rows
  __nv_bfloat16* out;
  int count, keys;  // keys in each but the last

  // Two neighbouring columns of a head. A sequence in one part needs no merging.
  __device__ void put(size_t head, int part, int column, float max, float sum, float2 pair) const {
    if (count == 1) {
      *reinterpret_cast<__nv_bfloat162*>(&out[head * LATENT + column]) =
          __floats2bfloat162_rn(pair.x / sum, pair.y / sum);
      return;
    }
    *reinterpret_cast<float2*>(&o[(head * count + part) * LATENT + column]) = pair;
    if (column == 0) tops[head * count + part] = make_float2(max, sum);
  }
};

// As many parts as fill the chip once, where an SM has `per_sm` blocks, but at least 256 keys in
// each. `blocks` are those of one part.
inline Parts make_parts(__nv_bfloat16* out, int rows, int blocks, int per_sm, int max_length) {
  static Scratch<float> outputs;
  static Scratch<float2> tops;
  int device = 0, processors = 1;
  cudaGetDevice(&device);
  cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device);
  const int most = kata::ceil_div(max_length, 256);
  const int wanted = max(1, min(per_sm * processors / blocks, most));
  const int keys = kata::ceil_div(kata::ceil_div(max_length, wanted), 64) * 64;
  const int count = kata::ceil_div(max_length, keys);
  if (count == 1) return {nullptr, nullptr, out, 1, keys};
  const size_t all = static_cast<size_t>(rows) * count;
  return {outputs.get(all * LATENT), tops.get(all), out, count, keys};
}

// A block per head of a sequence, a thread per four columns.
__global__ void __launch_bounds__(LATENT / 4) merge_kernel(Parts parts) {
  const float2* tops = parts.tops + static_cast<size_t>(blockIdx.x) * parts.count;
  const float4* from = reinterpret_cast<const float4*>(
      parts.o + static_cast<size_t>(blockIdx.x) * parts.count * LATENT);
  float max = -CUDART_INF_F, sum = 0.0f;
  for (int p = 0; p < parts.count; ++p) max = fmaxf(max, tops[p].x);
  float4 o = {};
  for (int p = 0; p < parts.count; ++p) {
    const float weight = exp2f(tops[p].x - max);
    if (weight == 0.0f) continue;
    const float4 part = from[p * (LATENT / 4) + threadIdx.x];
    sum += weight * tops[p].y;
    o.x += weight * part.x;
    o.y += weight * part.y;
    o.z += weight * part.z;
    o.w += weight * part.w;
  }
  __nv_bfloat162* to =
      reinterpret_cast<__nv_bfloat162*>(parts.out + static_cast<size_t>(blockIdx.x) * LATENT);
  to[2 * threadIdx.x] = __floats2bfloat162_rn(o.x / sum, o.y / sum);
  to[2 * threadIdx.x + 1] = __floats2bfloat162_rn(o.z / sum, o.w / sum);
}

inline void merge_parts(const Parts& parts, int rows) {
  if (parts.count > 1) merge_kernel<<<rows, LATENT / 4>>>(parts);
}

// A block's share: `heads_of_block` heads of a sequence, and one part of its keys. Blocks that need
// the same rows are neighbours.
struct Share {
  __device__ Share(const Latents& x, const Parts& parts, int heads_of_block) {
    const int groups = kata::ceil_div(x.heads, heads_of_block);
    head0 = blockIdx.x % groups * heads_of_block;
    part = blockIdx.x / groups % parts.count;
    sequence = blockIdx.x / groups / parts.count;
    begin = part * parts.keys;
    end = min(begin + parts.keys, x.lengths[sequence]);
  }

  __device__ int keys() const { return max(end - begin, 0); }

  int part, sequence, head0, begin, end;
};
